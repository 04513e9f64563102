/** All in milliseconds. */
export interface LeaseTiming {
  /** On the server's clock, from when it was last renewed. */
  readonly lasts: number
  /** For how long its holder counts on it, from when it asked for that: less than it lasts, because clocks do not run alike. */
  readonly trusted: number
  readonly renewEvery: number
  /** How often somebody who stands by looks whether it has ended. */
  readonly lookEvery: number
}

export const usualTiming: LeaseTiming = { lasts: 6000, trusted: 5000, renewEvery: 1500, lookEvery: 1000 }
