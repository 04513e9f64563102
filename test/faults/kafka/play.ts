import { type Crew, startCrew } from '../harness/crew.ts'
import { type Producing, startProducing } from '../harness/producing.ts'
import type { Verdict } from '../ledger.ts'
import type { MemoryLimit } from '../memory-limit.ts'
import { untilNothing } from '../until-nothing.ts'
import { type Evidence, gatherEvidence } from './evidence.ts'
import { type ConsumerOrder, type ProducerOrder, topicsOf } from './order.ts'
import type { Stage } from './stage.ts'

/** One run: a producer, consumers, a fault while messages flow, and then what the observers say. */
export interface Play {
  readonly stage: Stage
  readonly messages: number
  readonly consumers?: number
  readonly order?: Partial<ConsumerOrder>
  readonly producer?: Partial<ProducerOrder>
  /** Points at which consumers kill themselves, one after the other. */
  readonly deaths?: readonly { readonly barrier: string; readonly passes: number }[]
  /** What happens meanwhile; resolves when everything is repaired. */
  fault?(scene: Scene): Promise<void>
  /** Consumers live in it. */
  readonly limit?: MemoryLimit
  /** How long nothing may happen before the run is taken for ended, whatever is missing. Milliseconds. */
  readonly patience?: number
}

export interface Scene {
  readonly stage: Stage
  readonly messages: number
  readonly producing: Producing
  readonly crew: Crew
  readonly evidence: Evidence
  /** More members of the same group, for a while. */
  hire(size: number): Crew
  healthyFlowPast(): Promise<void>
}

export interface PlayResult {
  readonly verdict: Verdict
  readonly complaints: readonly string[]
}

const ordinaryPatience = 120_000
const program = new URL('./consumer.program.ts', import.meta.url)
const producer = new URL('./producer.program.ts', import.meta.url)

export async function play(script: Play): Promise<PlayResult> {
  const { stage, messages, deaths = [], limit, patience = ordinaryPatience } = script
  const evidence = gatherEvidence(stage, script.producer?.crashing)
  const order = consumerOrder(script)
  let lives = 0
  const crews: Crew[] = []
  const hire = (size: number, doomed: typeof deaths = []): Crew => {
    const first = lives
    lives += 10_000
    const crew = startCrew({
      program,
      size,
      order,
      doomed,
      log: () => evidence.handlerLog,
      firstLife: first,
      ...(limit && { limit }),
    })
    crews.push(crew)
    return crew
  }
  const crew = hire(script.consumers ?? 1, deaths)
  let producing: Producing | undefined
  try {
    await crew.ready(ordinaryPatience)
    producing = startProducing(producer, producerOrder(script, evidence.producerLog))
    const scene = { stage, messages, producing, crew, evidence, hire }
    await script.fault?.({ ...scene, healthyFlowPast: () => healthyFlowPast(scene) })
    await producing.ended
    await untilNothing(() => leftToDo(evidence), patience)
    await Promise.all(crews.map((each) => each.stop()))
    await evidence.look()
    const dead = crews.flatMap((each) => each.deaths)
    const tooFew = dead.length < deaths.length ? [`only ${dead.length} of ${deaths.length} kills happened`] : []
    const { verdict, complaints } = evidence.conclude(dead)
    return { verdict, complaints: [...complaints, ...crews.flatMap((each) => each.failures), ...tooFew] }
  } finally {
    producing?.kill()
    await Promise.all(crews.map((each) => each.stop('SIGKILL')))
  }
}

function consumerOrder({ stage, order }: Play): Omit<ConsumerOrder, 'log' | 'life'> {
  return { url: stage.broker.url, name: stage.name, prefetch: 100, order: 'none', sessionTimeout: '3s', crash: 'kill', ...order }
}

function producerOrder({ stage, messages, producer }: Play, log: string): ProducerOrder {
  const { broker, name, partitions } = stage
  return { url: broker.url, topic: topicsOf(name).work, partitions, log, messages, window: 20, ...producer }
}

async function leftToDo(evidence: Evidence): Promise<number> {
  await evidence.look()
  return evidence.missing().length
}

async function healthyFlowPast({ producing, evidence }: Omit<Scene, 'healthyFlowPast'>): Promise<void> {
  await producing.ended
  const stuck = await untilNothing(async () => evidence.missingHealthy().length, ordinaryPatience)
  if (stuck > 0) throw new Error(`${stuck} healthy messages do not flow past those that are held.`)
  if (evidence.missing().length === 0) throw new Error('The fault held nothing up.')
}
