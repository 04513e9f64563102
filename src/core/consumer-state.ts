/**
 * How a consumer stands, by what was heard of it. One that has missed three reports is `unknown`: it may have died, or only its network did,
 * so it is never called gone and never called fine. `stopped` is what it said itself.
 */
export type ConsumerState = 'reporting' | 'stopped' | 'unknown'

export interface Heard {
  readonly lastAt: number
  /** Milliseconds between two reports. */
  readonly every: number
  readonly isStopped: boolean
}

const misses = 3

export function consumerState({ lastAt, every, isStopped }: Heard, now: number): ConsumerState {
  if (isStopped) return 'stopped'
  return now - lastAt > misses * every ? 'unknown' : 'reporting'
}
