import { setTimeout as sleep } from 'node:timers/promises'
import type { Broker } from '../../../scripts/brokers/start.ts'
import type { FaultyWay } from '../../../scripts/brokers/toxiproxy.ts'
import { createTopic, deleteTopic } from '../../brokers/kafka.ts'
import { seededRandom } from '../../sim/seeded-random.ts'
import { until } from '../../until.ts'
import { barrierName, copyPoints } from '../harness/copy-barriers.ts'
import type { NotRun, Row, World } from '../harness/row.ts'
import { memoryLimit } from '../memory-limit.ts'
import { topicsOf } from './order.ts'
import { type Play, type PlayResult, play, type Scene } from './play.ts'
import { createStage } from './stage.ts'

/** Node takes about a third of it when it is idle. */
const megabytes = 320
const inOrder = { order: 'lane' } as const
/** When nothing has happened for so long, a planted bug has done what it does. */
const twinPatience = 4000

/** `times` is how often a fault that can be repeated is. */
export function rowsFor(times: number, seed: number): readonly Row[] {
  return [
    ...rows,
    safe('one of two killed at random moments, in order', 3, (script) => ({
      ...script,
      consumers: 2,
      order: inOrder,
      fault: (scene) => killRandomly(scene, times, seed),
    })),
    safe('members join and leave all the time, in order', 3, (script) => ({
      ...script,
      order: inOrder,
      fault: (scene) => comeAndGo(scene, times),
    })),
  ]
}

const rows: readonly Row[] = [
  killRow('dead letter', 'letter'),
  killRow('delayed retry by copy', 'retry'),
  safe('a member is frozen until others have its partitions, and returns', 2, (script) => ({
    ...script,
    consumers: 2,
    order: { ...inOrder, sessionTimeout: '2s' },
    producer: { holdAt: half(script.messages) },
    fault: freezeMember,
  })),
  safe('a message kills every consumer that takes it', 1, (script) => ({ ...script, producer: { crashing: 50 } })),
  { name: 'a message takes all memory, in a control group', weight: 1, kind: 'safe', longOnly: true, run: outOfMemory },
  safe('dead-letter topic deleted, created again later', 2, (script) => ({
    ...script,
    producer: { holdAt: half(script.messages) },
    fault: (scene) => withoutGrave(scene),
  })),
  safe('letters too large for the dead-letter topic, until it takes more', 2, (script) => ({
    ...script,
    producer: { holdAt: half(script.messages) },
    fault: (scene) => withoutGrave(scene, { 'max.message.bytes': '200' }),
  })),
  {
    name: 'broker killed and restarted',
    weight: 3,
    kind: 'safe',
    async run(world, messages) {
      const broker = await world.disturbed()
      try {
        return await onStage(broker, (stage) => ({ stage, messages, consumers: 2, order: inOrder, fault: killBroker }))
      } finally {
        await broker.stop()
      }
    },
  },
  networkRow('connections cut and refused, until noticed', (way) => way.cut()),
  { ...networkRow('half-open: what consumers say vanishes', (way) => way.swallow('upstream')), longOnly: true },
  { ...networkRow('half-open: what the broker says vanishes', (way) => way.swallow('downstream')), longOnly: true },
  twin('commits before the letter is confirmed, and is killed', 'commits before the letter is confirmed'),
  twin('commits what it has only received, and is killed', 'commits what it has only received'),
  {
    ...safe('commits what it could not dead-letter, and the topic is deleted', 1, (script) => ({
      ...script,
      producer: { holdAt: half(script.messages) },
      patience: twinPatience,
      order: { plant: 'commits what it could not dead-letter' },
      fault: (scene) => withoutGrave(scene),
    })),
    kind: 'twin',
  },
]

async function onStage(broker: Broker, script: (stage: Play['stage']) => Play): Promise<PlayResult> {
  const stage = await createStage(broker)
  try {
    return await play(script(stage))
  } finally {
    stage.close()
  }
}

function safe(name: string, weight: number, make: (script: Pick<Play, 'stage' | 'messages'>) => Play): Row {
  const run: Row['run'] = ({ calm }, messages) => onStage(calm, (stage) => make({ stage, messages }))
  return { name, weight, kind: 'safe', run }
}

async function outOfMemory({ calm }: World, messages: number): Promise<PlayResult | NotRun> {
  const limit = memoryLimit(megabytes)
  if (!limit) return { notRun: 'this user may make no control group' }
  try {
    return await onStage(calm, (stage) => ({ stage, messages, limit, order: { crash: 'memory' }, producer: { crashing: 50 } }))
  } finally {
    limit.remove()
  }
}

function networkRow(name: string, harm: (way: FaultyWay) => Promise<void>): Row {
  return {
    name,
    weight: 2,
    kind: 'safe',
    async run(world, messages) {
      const way = await world.faultyWay()
      if ('notRun' in way) return way
      const order = { ...inOrder, port: way.port }
      const producer = { holdAt: half(messages) }
      const fault = (scene: Scene): Promise<void> => hurt(scene, way, harm)
      return onStage(world.calm, (stage) => ({ stage, messages, consumers: 2, order, producer, fault }))
    },
  }
}

/** It bounds a consumer that hangs, not one that is slow. */
const noticedWithin = 120_000

/** The other half of the messages comes while it hurts. */
async function hurt(
  { crew, producing, messages }: Scene,
  way: FaultyWay,
  harm: (way: FaultyWay) => Promise<void>,
): Promise<void> {
  await producing.confirmed(half(messages))
  const noticed = crew.heardFromAll('connection-lost', noticedWithin)
  await harm(way)
  producing.goOn()
  await noticed
  const restored = crew.heardFromAll('connection-restored', noticedWithin)
  await way.heal()
  await restored
}

/** All points of a path, one death after the other. */
function killRow(what: string, path: 'letter' | 'retry'): Row {
  return safe(`consumer killed: ${what}, at ${copyPoints.length} points`, 2, (script) => {
    // One message in ten goes this way. Some points are passed only by those whose answer is slow, so few are waited for.
    const passes = Math.min(10, Math.floor(script.messages / 10 / (copyPoints.length + 1) / 4))
    return { ...script, deaths: copyPoints.map((point) => ({ barrier: barrierName(path, point), passes })) }
  })
}

/** Killed when some letters are written, and its hands are full. */
function twin(name: string, plant: string): Row {
  const deaths = [{ barrier: barrierName('letter', 'before send'), passes: 8 }]
  return { ...safe(name, 0, (script) => ({ ...script, deaths, patience: twinPatience, order: { plant } })), kind: 'twin' }
}

function half(messages: number): number {
  return Math.floor(messages / 2)
}

/** Milliseconds. */
const longestLife = 800

async function killRandomly({ crew }: Scene, times: number, seed: number): Promise<void> {
  const chance = seededRandom(seed)
  for (let kill = 0; kill < times; kill++) {
    // Whoever is still starting has nothing to lose.
    await crew.ready(60_000)
    // The moment of death is the fault that is injected here, and not a wait for anything.
    await sleep(chance.between(0, longestLife))
    crew.killOne(chance.next())
  }
}

async function comeAndGo({ hire }: Scene, times: number): Promise<void> {
  for (let round = 0; round < times; round++) {
    const guests = hire(1)
    await guests.ready(60_000)
    await guests.stop()
  }
}

/** Everything that is sent while it sleeps has to be handled by the other one; then it wakes up with what it had in hand. */
async function freezeMember({ crew, producing, messages, evidence }: Scene): Promise<void> {
  await producing.confirmed(half(messages))
  crew.signalFirst('SIGSTOP')
  producing.goOn()
  await producing.ended
  await until('the others handle everything healthy', () => evidence.missingHealthy().length === 0)
  crew.signalFirst('SIGCONT')
}

async function killBroker({ producing, messages, stage: { broker } }: Scene): Promise<void> {
  await producing.confirmed(half(messages))
  await broker.kill()
  await broker.restart()
}

/** The topic is gone, or takes no letter, while the second half is sent. */
async function withoutGrave(scene: Scene, settings?: Readonly<Record<string, string>>): Promise<void> {
  const { stage, producing, messages, evidence, healthyFlowPast } = scene
  const { deadLetter } = topicsOf(stage.name)
  await producing.confirmed(half(messages))
  // Only what the observers have seen may be deleted.
  await until('the first half is handled or dead', async () => {
    await evidence.look()
    return evidence.missing().length === 0
  })
  await deleteTopic(stage.broker, deadLetter)
  evidence.forgetOffsets()
  if (settings) await createTopic(stage.broker, deadLetter, 1, settings)
  producing.goOn()
  await healthyFlowPast()
  if (settings) await deleteTopic(stage.broker, deadLetter)
  await createTopic(stage.broker, deadLetter)
}
