import type { HandlerContext } from '../context.ts'
import type { Turn } from '../turn.ts'
import type { Said } from './answer.ts'
import type { BatchLine } from './batch-line.ts'
import type { BatchCall } from './call.ts'

/**
 * One message between the beginning of its run and the end of it:
 *
 *   gathered → called → answered → gone are all ahead of it in its lane: its run ends
 *      ↑         ├ behind one of its lane that is not done with: gathered again
 *      └─────────┤
 *    alone ←─────┴ nothing was said about it in company: called again, alone
 *
 * Its turn is `waiting`, `running` or `settling` meanwhile, so that a stop gives back what was not called.
 */
export interface Member {
  readonly line: BatchLine
  readonly turn: Turn
  readonly context: HandlerContext
  /** Decodes and validates anew. */
  readonly read: () => unknown
  readonly end: PromiseWithResolvers<void>
  /** Monotonic milliseconds. */
  readonly since: number
  value: unknown
  call: BatchCall | undefined
  answer: Said | undefined
  /** Whether its own turn counts among the running handlers; otherwise its call does, or nobody. */
  hasSlot: boolean
  /** It goes back to the broker as soon as no call has it. */
  isRecalled: boolean
}
