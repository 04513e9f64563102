import { setTimeout as sleep } from 'node:timers/promises'
import type { Operation } from '../../servicebus/faults.ts'
import { type ArenaServer, arenaRows, type Repair } from '../harness/arena-rows.ts'
import { type Faults, playRows } from '../harness/play-rows.ts'
import type { Row } from '../harness/row.ts'
import type { Tally } from '../harness/row-report.ts'
import { faultChannels } from '../messages.ts'
import { type Scene, troubleRun } from '../trouble-run.ts'
import { type EntityKind, type ServicebusArena, servicebusArena } from './arena.ts'

const subject = 'servicebus'
const kinds: readonly EntityKind[] = ['queues', 'sessions']

/** One kind after the other: only sessions claim an order. */
export async function servicebusFaults(faults: Faults): Promise<Tally> {
  const total = { passed: 0, failed: 0, notRun: 0 }
  const messages = Math.ceil(faults.messages / kinds.length)
  for (const kind of kinds) {
    const rows = rowsOn(kind, faults)
    const played = { server: subject, rows, lanes: 4, claimsOrder: kind === 'sessions' } as const
    const { passed, failed, notRun } = await playRows(played, { ...faults, messages })
    total.passed += passed
    total.failed += failed
    total.notRun += notRun
  }
  return total
}

function rowsOn(kind: EntityKind, { kills, seed }: Faults): Row[] {
  const server: ArenaServer<ServicebusArena> = {
    subject,
    openArena: (broker) => servicebusArena(broker, kind),
    graveFaults: graveFaults[kind],
    losingSettings: { name: 'server that forgets what it confirmed, killed', settings: ['forgets messages'] },
  }
  return [...arenaRows(server, kills, seed), ...ownRows(kind)].map((row) => ({ ...row, name: `${kind}: ${row.name}` }))
}

const graveFaults: Readonly<Record<EntityKind, ArenaServer<ServicebusArena>['graveFaults']>> = {
  queues: {
    'dead-lettering refused, until there is room': refusing('refuse', 'dead-letter', faultChannels.work),
    'dead-lettering throttled, until there is less to do': refusing('throttle', 'dead-letter', faultChannels.work),
  },
  sessions: {
    'dead-letter queue full, until there is room': refusing('refuse', 'send', faultChannels.deadLetter),
    'dead-letter queue throttled, until there is less to do': refusing('throttle', 'send', faultChannels.deadLetter),
  },
}

function refusing(how: 'refuse' | 'throttle', operation: Operation, channel: string) {
  return async ({ order, pathOf }: ServicebusArena): Promise<Repair> => {
    await order({ order: how, operation, path: pathOf(channel) })
    return async () => void (await order({ order: 'heal', path: pathOf(channel) }))
  }
}

/** What this service does to its clients by itself. */
function ownRows(kind: EntityKind): readonly Row[] {
  const row = (name: string, trouble: (arena: ServicebusArena, scene: Scene) => Promise<void>): Row => ({
    name,
    kind: 'safe',
    async run({ calm }, messages) {
      const arena = await servicebusArena(calm, kind)
      try {
        return await troubleRun({ subject, messages, trouble: (scene) => trouble(arena, scene) }, arena)
      } finally {
        await arena.close()
      }
    },
  })
  return [
    row('links detached all the time', whileSending(detach)),
    row('settlements, requests and links throttled again and again', whileSending(throttle)),
    row('answers to settlements lost', whileSending(loseAnswers)),
    row('locks end while handlers run', endLocks),
  ]
}

/** Between one injury and the next: how often they happen is the fault that is injected, and not a wait for anything. */
const between = 300

function whileSending(injure: (arena: ServicebusArena) => Promise<unknown>) {
  return async (arena: ServicebusArena, { sendRest }: Scene): Promise<void> => {
    let isSending = true
    const sending = sendRest().finally(() => {
      isSending = false
    })
    while (isSending) {
      await injure(arena)
      await sleep(between)
    }
    await sending
    await arena.order({ order: 'heal', path: arena.pathOf(faultChannels.work) })
  }
}

function detach({ order, pathOf }: ServicebusArena): Promise<unknown> {
  return order({ order: 'detach', path: pathOf(faultChannels.work) })
}

async function throttle({ order, pathOf }: ServicebusArena): Promise<void> {
  for (const operation of ['settle', 'manage', 'attach'] as const)
    await order({ order: 'throttle', operation, path: pathOf(faultChannels.work), times: 3 })
}

function loseAnswers({ order, pathOf }: ServicebusArena): Promise<unknown> {
  return order({ order: 'lose-answers', path: pathOf(faultChannels.work), times: 3 })
}

/** Twice: a third time would make poison of a message that failed on its own account, and rightly so. */
async function endLocks({ order, pathOf }: ServicebusArena, { sendRest }: Scene): Promise<void> {
  const sending = sendRest()
  for (let times = 0; times < 2; times++) {
    await sleep(between)
    await order({ order: 'end-locks', path: pathOf(faultChannels.work) })
  }
  await sending
}
