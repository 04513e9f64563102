/** Milliseconds by which the event loop was late. */
export interface Lateness {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** How many times in each of these: up to 1 ms, 2, 5, 10, 20, 50, and more. */
  readonly histogram: readonly number[]
}

export const edges = [1, 2, 5, 10, 20, 50] as const

export interface LoopWatch {
  /** Only what happens meanwhile counts: in between, others of this process have the loop for themselves. */
  during<Result>(work: () => Promise<Result>): Promise<Result>
  lateness(): Lateness
}

/** A timer of one millisecond that says how much later than that it came. */
export function watchLoop(): LoopWatch {
  const late: number[] = []
  return {
    async during(work) {
      let due = performance.now() + 1
      const look = (): void => {
        late.push(Math.max(0, performance.now() - due))
        due = performance.now() + 1
      }
      const timer = setInterval(look, 1)
      try {
        return await work()
      } finally {
        clearInterval(timer)
        look()
      }
    },
    lateness() {
      const sorted = late.toSorted((one, other) => one - other)
      const at = (part: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
      const upTo = (edge: number): number => sorted.filter((wait) => wait <= edge).length
      const counts = [...edges, Number.POSITIVE_INFINITY].map(upTo)
      const histogram = counts.map((reached, index) => reached - (counts[index - 1] ?? 0))
      return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1), histogram }
    },
  }
}
