import type { Asked } from '../../core/decision.ts'

/** What a batch handler said about one of its messages. */
export type Said =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'asked'; readonly for: Asked; readonly description?: string }

/** Made by a message of a batch and returned by its handler. */
export interface BatchOutcome {
  readonly of: object
  readonly said: Said
}

export type Verdict =
  | Said
  /** Nothing was said about it. */
  | { readonly kind: 'unmentioned' }
  /** Whatever was said about it, an earlier message of its key is not done with: it has to run again behind that one. */
  | { readonly kind: 'behind' }

const unmentioned: Verdict = { kind: 'unmentioned' }
const behind: Verdict = { kind: 'behind' }

/**
 * What an answer says about each of these messages. Only outcomes that are in it count, so that a handler which forgets a message, or
 * returns something else, has completed nothing. Of two outcomes for one message the first counts, but "done" never wins: it is the
 * only one that cannot be taken back.
 */
export function readAnswer(answer: unknown, messages: readonly object[]): readonly Verdict[] {
  const said = new Map<object, Said>()
  for (const entry of isIterable(answer) ? answer : []) {
    if (!isOutcome(entry)) continue
    const before = said.get(entry.of)
    if (before === undefined || before.kind === 'done') said.set(entry.of, entry.said)
  }
  return messages.map((message) => said.get(message) ?? unmentioned)
}

/** In each lane, nothing counts behind a message that will run again: a later one must not be done before it. */
export function heedLanes(verdicts: readonly Verdict[], lanes: readonly (string | undefined)[]): readonly Verdict[] {
  const stopped = new Set<string>()
  return verdicts.map((verdict, index) => {
    const lane = lanes[index]
    if (lane === undefined) return verdict
    if (stopped.has(lane)) return behind
    if (!isDoneWith(verdict)) stopped.add(lane)
    return verdict
  })
}

/** It leaves the channel, one way or the other, without another run. */
function isDoneWith(verdict: Verdict): boolean {
  return verdict.kind === 'done' || (verdict.kind === 'asked' && verdict.for.kind !== 'retry')
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function isOutcome(value: unknown): value is BatchOutcome {
  return typeof value === 'object' && value !== null && 'of' in value && 'said' in value
}
