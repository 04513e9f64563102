/** Milliseconds by which the event loop was late. */
export interface Lateness {
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
  /** How many times in each of these: up to 1 ms, 2, 5, 10, 20, 50, and more. */
  readonly histogram: readonly number[]
  /** Of each delay, as far as this thread was the one that ran: the rest is the machine's, which gave its processors to others. */
  readonly own: { readonly max: number; readonly histogram: readonly number[] }
}

export const edges = [1, 2, 5, 10, 20, 50] as const

export interface LoopWatch {
  /** Only what happens meanwhile counts: in between, others of this process have the loop for themselves. */
  during<Result>(work: () => Promise<Result>): Promise<Result>
  lateness(): Lateness
}

/** A timer of one millisecond that says how much later than that it came, and how long this thread ran since the last time. */
export function watchLoop(): LoopWatch {
  const late: number[] = []
  const own: number[] = []
  return {
    async during(work) {
      let [due, ranBefore] = [performance.now() + 1, ranFor()]
      const look = (): void => {
        const delay = Math.max(0, performance.now() - due)
        late.push(delay)
        own.push(Math.min(delay, ranFor() - ranBefore))
        ;[due, ranBefore] = [performance.now() + 1, ranFor()]
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
      late.sort((one, other) => one - other)
      return {
        p50: at(late, 0.5),
        p99: at(late, 0.99),
        p999: at(late, 0.999),
        max: at(late, 1),
        histogram: histogramOf(late),
        own: { max: own.reduce((most, each) => Math.max(most, each), 0), histogram: histogramOf(own) },
      }
    },
  }
}

/** Milliseconds of processor time that this thread has had. */
function ranFor(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

function histogramOf(delays: readonly number[]): readonly number[] {
  const counts = [...edges, Number.POSITIVE_INFINITY].map((edge) => delays.filter((delay) => delay <= edge).length)
  return counts.map((reached, index) => reached - (counts[index - 1] ?? 0))
}
