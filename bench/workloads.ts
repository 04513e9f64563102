import type { Workload } from './redrive-contender.ts'

/** Nothing but the machinery: the handler resolves at once. */
export function success(): Workload {
  return { handler: async () => {}, doneOn: 'run' }
}

/** Every message fails once, waits for the shortest delay, and then succeeds. */
export function failOnce(): Workload {
  return {
    handler: async (_order, { attempt }) => {
      if (attempt === 1) throw new Error('the first attempt fails')
    },
    doneOn: 'completed',
    // A world in which every first attempt fails looks like an outage.
    options: { retry: { delayed: { retries: 1, backoff: { kind: 'fixed', first: 1, max: 1, jitter: 0 } } }, breaker: false },
  }
}

/** Every message goes to the dead-letter channel at once. */
export function deadLetter(): Workload {
  return {
    handler: async (_order, context) => context.deadLetter('BenchmarkedReason', 'every message fails for good'),
    doneOn: 'dead-lettered',
  }
}
