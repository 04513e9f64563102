import type { QueueType } from '../../../src/transports/rabbitmq/rabbitmq.ts'
import type { Crash } from '../crash.ts'

/** What a consumer process is told to do; it comes as JSON in its first argument. */
export interface ConsumerOrder {
  readonly url: string
  readonly queueType: QueueType
  readonly deadLettering: 'annotated' | 'native'
  /** The handler log of this very process. */
  readonly log: string
  /** Which of all consumer processes of the run it is. */
  readonly life: number
  readonly prefetch: number
  /** Seconds after which silence is an answer. */
  readonly heartbeat: number
  readonly turns: number
  /** Letters that may wait for their queue before the channel pauses. */
  readonly maxHeld: number
  /** The folder in which letters wait for their queue; held in hand without. */
  readonly spool?: string
  /** The point at which the process kills itself. */
  readonly barrier?: string
  /** Messages that go through that point before. */
  readonly passes?: number
  /** How the message that kills its consumer does that. */
  readonly crash: Crash
  /** What a handler throws: one short error, or errors as large, deep and hostile as they come. */
  readonly errors: 'plain' | 'monstrous'
  /** The name of a planted bug. */
  readonly plant?: string
}

/** What a producer process is told to do. */
export interface ProducerOrder {
  readonly url: string
  readonly log: string
  /** It ends when so many are confirmed. */
  readonly messages: number
  /** Unanswered at one time. */
  readonly window: number
  /** The number of the message that kills every consumer. */
  readonly crashing?: number
  /** As fast as it goes unless told. */
  readonly perSecond?: number
  /** Bytes of headers on those that will be dead-lettered. */
  readonly headerBytes: number
  /** `none` is the planted bug: it takes what it wrote for confirmed. */
  readonly confirms: 'each' | 'none'
  /** It sends so many, and the others only once it is told to go on. */
  readonly holdAt?: number
}
