import { type Crew, startCrew } from '../harness/crew.ts'
import { type Producing, startProducing } from '../harness/producing.ts'
import { ordinaryTurns } from '../ledger.ts'
import type { MemoryLimit } from '../memory-limit.ts'
import { untilNothing } from '../until-nothing.ts'
import { type Conclusion, type Evidence, gatherEvidence } from './evidence.ts'
import type { ConsumerOrder, ProducerOrder } from './order.ts'
import type { Stage } from './stage.ts'

/** One run: a producer, consumers, a fault while messages flow, and then what the observers say. */
export interface Play {
  readonly stage: Stage
  readonly messages: number
  /** The consumer that is put to the test; ours unless told. */
  readonly program?: URL
  readonly consumers?: number
  readonly order?: Partial<ConsumerOrder>
  readonly producer?: Partial<ProducerOrder>
  /** Points at which consumers kill themselves, one after the other. */
  readonly deaths?: readonly { readonly barrier: string; readonly passes: number }[]
  readonly limit?: MemoryLimit
  /** What happens meanwhile; resolves when everything is repaired. */
  fault?(scene: Scene): Promise<void>
  /** How long nothing may happen before the run is taken for ended, whatever is missing. Milliseconds. */
  readonly patience?: number
}

export interface Scene {
  readonly stage: Stage
  readonly messages: number
  readonly producing: Producing
  readonly crew: Crew
  readonly evidence: Evidence
  /**
   * Resolves when all are sent and every healthy one has been handled, though others cannot be dead-lettered; rejects when that takes
   * too long, or when nothing is held up at all.
   */
  healthyFlowPast(): Promise<void>
}

export interface PlayResult extends Conclusion {
  readonly deaths: number
}

const patience = 120_000
const ourConsumer = new URL('./consumer.program.ts', import.meta.url)
const producer = new URL('./producer.program.ts', import.meta.url)

export async function play(script: Play): Promise<PlayResult> {
  const { stage, messages, deaths = [], limit, program = ourConsumer } = script
  const evidence = gatherEvidence(stage, script.producer?.crashing)
  const { handlerLog: log, producerLog } = evidence
  const order = consumerOrder(script)
  const crew = startCrew({ program, size: script.consumers ?? 1, order, doomed: deaths, log, ...(limit && { limit }) })
  let producing: Producing | undefined
  try {
    await crew.ready(patience)
    producing = startProducing(producer, producerOrder(script, producerLog))
    const scene = { stage, messages, producing, crew, evidence }
    await script.fault?.({ ...scene, healthyFlowPast: () => healthyFlowPast(scene) })
    await producing.ended
    await untilNothing(evidence.leftToDo, script.patience ?? patience)
    await crew.stop()
    const conclusion = await evidence.conclude(crew.deaths)
    const complaints = [...conclusion.complaints, ...crew.failures, ...tooFewKills(crew, deaths.length)]
    return { ...conclusion, complaints, deaths: crew.deaths.length }
  } finally {
    producing?.kill()
    await crew.stop('SIGKILL')
  }
}

function consumerOrder({ stage, order }: Play): Omit<ConsumerOrder, 'log' | 'life'> {
  return {
    url: stage.consumerUrl,
    queueType: stage.queueType,
    deadLettering: 'annotated',
    prefetch: 200,
    heartbeat: 2,
    turns: ordinaryTurns,
    maxHeld: 100_000,
    crash: 'kill',
    errors: 'plain',
    ...order,
  }
}

function producerOrder({ stage, messages, producer }: Play, log: string): ProducerOrder {
  return { url: stage.vhost.url, log, messages, window: 100, headerBytes: 0, confirms: 'each', ...producer }
}

async function healthyFlowPast({ producing, evidence }: Omit<Scene, 'healthyFlowPast'>): Promise<void> {
  await producing.ended
  const stuck = await untilNothing(async () => evidence.missingHealthy().length, patience)
  if (stuck > 0) throw new Error(`${stuck} healthy messages do not flow past those that are held.`)
  // The queue that was deleted cannot be emptied.
  await evidence.empty().catch(() => {})
  if (evidence.missing().length === 0) throw new Error('The fault held nothing up.')
}

function tooFewKills({ deaths }: Crew, wanted: number): readonly string[] {
  return deaths.length < wanted ? [`only ${deaths.length} of ${wanted} kills happened`] : []
}
