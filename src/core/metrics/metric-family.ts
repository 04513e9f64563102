/**
 * Counts of one name, in no format yet. Names of attributes are OpenTelemetry's (`queue.name`); the Prometheus text writes them as `queue_name`.
 */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** As OpenTelemetry writes it, such as `s` or `{message}`. */
  readonly unit?: string
  readonly points: readonly MetricPoint[]
}

export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Distribution
}

/** How many values were below each bound, and below none before it. The last bucket has no upper bound, so that there is one more of them. */
export interface Distribution {
  readonly bounds: readonly number[]
  readonly buckets: readonly number[]
  readonly sum: number
  readonly count: number
}

export function counter(name: string, help: string, points: readonly MetricPoint[]): MetricFamily {
  return { name, help, kind: 'counter', points }
}

export function gauge(name: string, help: string, points: readonly MetricPoint[]): MetricFamily {
  return { name, help, kind: 'gauge', points }
}
