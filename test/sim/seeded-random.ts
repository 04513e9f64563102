/** A stream of chance that is the same for the same seed, on every machine. */
export interface Chance {
  /** A number in [0, 1). */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  /** True so often. */
  happens(probability: number): boolean
  pick<T>(choices: readonly [T, ...T[]]): T
}

/** The mulberry32 generator: small, fast, and good enough to spread faults. */
export function seededRandom(seed: number): Chance {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    happens: (probability) => next() < probability,
    pick: (choices) => choices[between(0, choices.length - 1)] ?? choices[0],
  }
}
