import type { Crash } from '../crash.ts'

/** What a consumer process is told to do; it comes as JSON in its first argument. */
export interface ConsumerOrder {
  readonly url: string
  /** With what the names of its topics begin, and its group. */
  readonly name: string
  /** The handler log, which all lives share: lines are appended whole, so it tells the order over all processes. */
  readonly log: string
  readonly life: number
  readonly prefetch: number
  readonly order: 'lane' | 'none'
  readonly sessionTimeout: string
  /** Where consumers reach the broker: through a proxy. */
  readonly port?: number
  /** How the message that kills its consumer does that. */
  readonly crash: Crash
  readonly barrier?: string
  readonly passes?: number
  readonly plant?: string
}

export interface ProducerOrder {
  readonly url: string
  readonly topic: string
  readonly partitions: number
  readonly log: string
  readonly messages: number
  readonly window: number
  readonly crashing?: number
  readonly holdAt?: number
}

export interface Topics {
  readonly work: string
  readonly deadLetter: string
  readonly invalid: string
}

export function topicsOf(name: string): Topics {
  return { work: `${name}.work`, deadLetter: `${name}.dead`, invalid: `${name}.invalid` }
}
