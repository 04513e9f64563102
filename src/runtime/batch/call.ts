import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChannelScope } from '../scope.ts'
import { heedLanes, readAnswer, type Verdict } from './answer.ts'
import { type BatchHandler, createBatchMessage } from './batch-message.ts'
import { createBatchSignal } from './batch-signal.ts'
import type { Member } from './member.ts'

/** One call of a batch handler. */
export interface BatchCall {
  readonly members: readonly Member[]
  /** What it said about each of them, or what it threw. Never rejects. */
  readonly result: Promise<CallResult>
  /** Resolves when the call is over, or given up on. */
  readonly ended: Promise<void>
  abort(reason: Error): void
  /** Its result does not count any more. */
  giveUp(): void
  readonly isGivenUp: boolean
}

export type CallResult = { readonly verdicts: readonly Verdict[] } | { readonly thrown: unknown }

/** Middleware of whichever message came last must not lend its async context to all the others. */
export type Neutral = <R>(run: () => R) => R
export const takeNeutral = (): Neutral => AsyncLocalStorage.snapshot()

export function callHandler(
  handler: BatchHandler<unknown>,
  members: readonly Member[],
  scope: ChannelScope,
  neutral: Neutral,
): BatchCall {
  const messages = members.map(({ value, context }) => createBatchMessage(value, context))
  const { signal, abort } = signalOf(members)
  const ended = Promise.withResolvers<void>()
  let isGivenUp = false
  const batch = {
    channel: scope.settings.name,
    get signal() {
      return signal()
    },
  }
  const turns = members.map(({ turn }) => turn)
  const run = (): unknown => handler(messages, batch)

  async function answer(): Promise<CallResult> {
    try {
      const said = readAnswer(await neutral(() => (scope.tracing ? scope.tracing.batch(turns, scope, run) : run())), messages)
      const lanes = turns.map(({ lane }) => lane?.key)
      return { verdicts: heedLanes(said, lanes) }
    } catch (thrown) {
      return { thrown }
    } finally {
      ended.resolve()
    }
  }

  return {
    members,
    result: answer(),
    ended: ended.promise,
    abort,
    giveUp() {
      isGivenUp = true
      ended.resolve()
    },
    get isGivenUp() {
      return isGivenUp
    },
  }
}

function signalOf(members: readonly Member[]): { readonly signal: () => AbortSignal; readonly abort: (reason: Error) => void } {
  const made = createBatchSignal(members.map(({ context }) => context))
  return { signal: () => made.signal, abort: made.abort }
}
