import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '../../../scripts/brokers/start.ts'
import type { FaultyWay } from '../../../scripts/brokers/toxiproxy.ts'
import { type Kill, killRun } from '../kill-run.ts'
import { type FaultRow, faultRows } from '../rows.ts'
import type { Arena } from '../subjects.ts'
import { type Scene, type TroubleRun, troubleRun } from '../trouble-run.ts'
import type { Judged, Row, World } from './row.ts'

/** An arena on a server that consumers reach by a connection that can be cut. */
export interface ServerArena extends Arena {
  /** What consumers need that reach the server through this port. */
  connectionBy(port: number): string
}

/** A transport with leases on a server: all that the rows below have to know about it. */
export interface ArenaServer<A extends ServerArena> {
  readonly subject: string
  openArena(broker: Broker): Promise<A>
  /** Harms the dead-letter channel in different ways; each resolves with what repairs it. */
  readonly graveFaults: Readonly<Record<string, (arena: A, scene: Scene) => Promise<Repair>>>
  /** A letter is sent, and its source completed afterwards: who does that in another order must be seen to lose. */
  readonly sendsLetters?: boolean
  /** Behind a letter that waits nothing flows, so that it is repaired as soon as everybody has felt it. */
  readonly lettersBlock?: boolean
  /** What makes the death of the server harder: done before the last messages are sent and it is killed. */
  beforeServerDies?(arena: A): Promise<void>
  /** Settings with which the server confirms what it then loses when it is killed; a twin, which must be seen to lose. */
  readonly losingSettings?: { readonly name: string; readonly settings: readonly string[] }
}

export type Repair = () => Promise<void>

/** When nothing has happened for so long, a planted bug has done what it does. */
const twinPatience = 4000
/** How far the clock of each consumer is ahead. Milliseconds. */
const twoHoursApart = [3_600_000, -3_600_000]
/** Of the eleven points, those at which the server may or may not have heard of it. */
const smokePoints = /after-complete-sent|after-letter-sent|random|kills every/

/** The rows that every server with an arena is put through. */
export function arenaRows<A extends ServerArena>(server: ArenaServer<A>, kills: number, seed: number): readonly Row[] {
  const { subject, openArena, graveFaults, losingSettings } = server

  async function onArena(broker: Broker, run: (arena: A) => Promise<Judged>): Promise<Judged> {
    const arena = await openArena(broker)
    try {
      return await run(arena)
    } finally {
      await arena.close()
    }
  }

  function killRow({ name, run }: FaultRow): Row {
    return {
      name,
      kind: 'safe',
      longOnly: !smokePoints.test(name),
      run: ({ calm }, messages) =>
        onArena(calm, async (arena) => ({ verdict: (await run(subject, arena, messages)).verdict, complaints: [] })),
    }
  }

  function calmRow(name: string, trouble: TroubleRun['trouble'], rest: Partial<TroubleRun> = {}): Row {
    const run: Row['run'] = ({ calm }, messages) =>
      onArena(calm, (arena) => troubleRun({ subject, messages, trouble, ...rest }, arena))
    return { name, kind: 'safe', run }
  }

  /** Consumers stand still, so at the moment of its death much is confirmed that nobody has handled. */
  function serverRow(name: string, settings: readonly string[], patience?: number): Row {
    async function run(world: World, messages: number): Promise<Judged> {
      const broker = await world.disturbed({ settings })
      const trouble = async ({ arena, consumers, sendRest }: Scene): Promise<void> => {
        for (const consumer of consumers) consumer.signal('SIGSTOP')
        await server.beforeServerDies?.(arena as A)
        await sendRest()
        await broker.kill()
        for (const consumer of consumers) consumer.signal('SIGCONT')
        await broker.restart()
      }
      try {
        const script = { subject, messages, trouble, ...(patience !== undefined && { patience }) }
        return await onArena(broker, (arena) => troubleRun(script, arena))
      } finally {
        await broker.stop()
      }
    }
    return { name, kind: 'safe', run }
  }

  function networkRow(name: string, harm: (way: FaultyWay) => Promise<void>): Row {
    const run: Row['run'] = async ({ calm, faultyWay }, messages) => {
      const way = await faultyWay()
      if ('notRun' in way) return way
      const trouble = (scene: Scene): Promise<void> => hurt(scene, way, harm)
      return onArena(calm, (arena) =>
        troubleRun({ subject, messages, trouble, order: { connection: arena.connectionBy(way.port) } }, arena),
      )
    }
    return { name, kind: 'safe', run }
  }

  function graveRow(name: string, rest: Partial<TroubleRun> = {}): Row {
    const trouble = async (scene: Scene): Promise<void> => {
      const repair = await graveFaults[name]?.(scene.arena as A, scene)
      await scene.sendRest()
      const isFelt = server.lettersBlock && rest.order?.plant === undefined
      await (isFelt ? scene.allHeard('dead-letter-failed') : scene.healthyAreDone())
      await repair?.()
    }
    return calmRow(name, trouble, rest)
  }

  function killedWith(plant: string, kill: Kill): Row['run'] {
    return ({ calm }, messages) =>
      onArena(calm, async (arena) => {
        const { verdict } = await killRun({ subject, messages, prefetch: 200, kills: [kill], plant }, arena)
        return { verdict, complaints: [] }
      })
  }

  const [anyGraveFault = ''] = Object.keys(graveFaults)
  const tooEarly = 'completes the source before its letter is durable'
  const swallows = 'swallows a letter that could not be written'
  return [
    ...faultRows(kills, seed).map(killRow),
    serverRow('server killed and restarted', []),
    networkRow('connections cut and refused, until noticed', (way) => way.cut()),
    { ...networkRow('half-open: what consumers say vanishes', (way) => way.swallow('upstream')), longOnly: true },
    { ...networkRow('half-open: what the server says vanishes', (way) => way.swallow('downstream')), longOnly: true },
    calmRow('a consumer is frozen until others have its messages, and returns', freeze),
    calmRow('consumers are frozen in turn, each time for longer than a lease', stall),
    calmRow('clocks two hours apart, what a frozen consumer had goes to others', freeze, { clocks: twoHoursApart }),
    {
      ...calmRow('clocks two hours apart, frozen in turn for longer than a lease', stall, { clocks: twoHoursApart }),
      longOnly: true,
    },
    ...Object.keys(graveFaults).map((name) => graveRow(name)),
    { ...graveRow(anyGraveFault, { order: { plant: swallows }, patience: twinPatience }), name: swallows, kind: 'twin' },
    {
      name: 'completes on receipt, and is killed',
      kind: 'twin',
      run: killedWith('completes on receipt', { at: 'before-handler', passes: 20 }),
    },
    ...(server.sendsLetters
      ? [
          {
            name: `${tooEarly}, and is killed`,
            kind: 'twin' as const,
            run: killedWith(tooEarly, { at: 'before-letter', passes: 3 }),
          },
        ]
      : []),
    ...(losingSettings
      ? [{ ...serverRow(losingSettings.name, losingSettings.settings, twinPatience), kind: 'twin' as const }]
      : []),
  ]
}

/** The other half of the messages comes while it hurts. */
async function hurt({ allHeard, sendRest }: Scene, way: FaultyWay, harm: (way: FaultyWay) => Promise<void>): Promise<void> {
  await harm(way)
  await sendRest()
  await allHeard('connection-lost')
  await way.heal()
  await allHeard('connection-restored')
}

/** It wakes up with what it had in hand, all of which others have finished. */
async function freeze({ consumers: [first], sendRest, healthyAreDone }: Scene): Promise<void> {
  first?.signal('SIGSTOP')
  await sendRest()
  await healthyAreDone()
  first?.signal('SIGCONT')
}

const stalls = 6

/** It wakes up while its own leases have ended, and what it had in hand may be anybody's. */
async function stall({ arena, consumers, sendRest }: Scene): Promise<void> {
  const sending = sendRest()
  for (let round = 0; round < stalls; round++) {
    const consumer = consumers[round % consumers.length]
    consumer?.signal('SIGSTOP')
    // So long a standstill is the fault that is injected here, and not a wait for anything.
    await sleep(arena.hold * 1.3)
    consumer?.signal('SIGCONT')
  }
  await sending
}
