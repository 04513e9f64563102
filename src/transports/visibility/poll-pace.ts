import { delayFor } from '../../core/backoff.ts'
import type { Backoff } from '../../core/policy.ts'

/**
 * How long nobody asks after a question that brought nothing. One that waited at the server has cost its time there. A server that answers
 * at once with nothing (because it knows no long polls, or something in between answers for it) would be asked thousands of times a
 * second, and some charge for each; so each such answer in a row doubles the pause, up to the time that the poll was meant to take.
 */
export interface PollPace {
  /** What a question came to that the server was asked to wait for. All in milliseconds. */
  answered(messages: number, asked: number, took: number): void
  /** Before the next question. */
  pause(): number
}

const first = 100

export function createPollPace(pollFor: number): PollPace {
  const backoff: Backoff = { kind: 'exponential', first, factor: 2, max: pollFor, jitter: 0 }
  let hasty = 0
  return {
    answered(messages, asked, took) {
      hasty = messages === 0 && took < asked / 2 ? hasty + 1 : 0
    },
    pause: () => (hasty === 0 ? 0 : delayFor(backoff, hasty, 0)),
  }
}
