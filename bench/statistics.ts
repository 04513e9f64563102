export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0]
  return (low + high) / 2
}

/** A distribution-free interval for the median: the order statistics that hold it with at least 95 % confidence. */
export function medianInterval(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b)
  const n = sorted.length
  let outside = 2 / 2 ** n
  let rank = 0
  for (let chance = n / 2 ** n; outside + 2 * chance <= 0.05 && rank + 1 < n / 2; ) {
    outside += 2 * chance
    rank++
    chance = (chance * (n - rank)) / (rank + 1)
  }
  return [sorted[rank] ?? 0, sorted[n - 1 - rank] ?? 0]
}

export interface Estimate {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function estimate(values: readonly number[]): Estimate {
  const [low, high] = medianInterval(values)
  return { median: median(values), low, high }
}
