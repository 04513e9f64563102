/**
 * What the runtime and the transports may ask of the world besides a broker. Everything that tells time, waits, draws or
 * names goes through here, so that the simulator and users' tests run the very same code on a clock of their own.
 */
export interface Clock {
  /** Wall time in epoch milliseconds: for what people and other machines read. It may jump. */
  now(): number
  /** Milliseconds that never go back: for every duration. */
  monotonic(): number
  /** Runs `callback` once after `ms`; the result cancels it. A pending timer does not keep the process alive when `background`. */
  after(ms: number, callback: () => void, options?: { background?: boolean }): Cancel
  /** Runs `callback` after the current event has been handled: microtasks drained, I/O given a chance. */
  soon(callback: () => void): void
}

/** What tells a clock from anything else. */
export const clockVerbs: readonly (keyof Clock)[] = ['now', 'monotonic', 'after', 'soon']

export type Cancel = () => void

/** A number in [0, 1). */
export type Random = () => number

/** Unique over all processes. */
export type NewId = () => string
