import type { Distribution, MetricFamily, MetricPoint } from './metric-family.ts'

export interface OtlpOptions {
  /** What the counts are of: `service.name`, and whatever else is to stand beside it, such as `service.instance.id`. */
  readonly resource: Readonly<Record<string, string>>
  /** Since when they were counted. Epoch milliseconds; absent where counts are older than the process that tells them. */
  readonly since?: number
  /** The time at which they were read. Epoch milliseconds. */
  readonly at: number
}

/**
 * Counts as the body of an OTLP request (`POST /v1/metrics`, `content-type: application/json`, OTLP 1.0). They are cumulative: a request that does not
 * arrive is made good by the next one.
 */
export function otlpMetrics(families: readonly MetricFamily[], { resource, since, at }: OtlpOptions): object {
  const times = { ...(since !== undefined && { startTimeUnixNano: nanoseconds(since) }), timeUnixNano: nanoseconds(at) }
  const metrics = families.filter(({ points }) => points.length > 0).map((family) => metricOf(family, times))
  return {
    resourceMetrics: [
      { resource: { attributes: attributesOf(resource) }, scopeMetrics: [{ scope: { name: 'redrive' }, metrics }] },
    ],
  }
}

interface Times {
  readonly startTimeUnixNano?: string
  readonly timeUnixNano: string
}

/** From the beginning on, as a counter that is asked now and then gives them. */
const cumulative = 2

function metricOf({ name, help, kind, unit, points }: MetricFamily, times: Times): object {
  const dataPoints = points.map((point) => ({ ...times, attributes: attributesOf(point.labels), ...measured(point) }))
  const about = { name, description: help, ...(unit !== undefined && { unit }) }
  if (kind === 'gauge') return { ...about, gauge: { dataPoints } }
  if (kind === 'counter') return { ...about, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } }
  return { ...about, histogram: { dataPoints, aggregationTemporality: cumulative } }
}

/** 64-bit integers are text in JSON, or they would lose their last digits. */
function measured({ value }: MetricPoint): object {
  if (typeof value !== 'number') return distributionOf(value)
  return Number.isSafeInteger(value) ? { asInt: String(value) } : { asDouble: value }
}

function distributionOf({ bounds, buckets, sum, count }: Distribution): object {
  return { count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: bounds }
}

function attributesOf(labels: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}

function nanoseconds(at: number): string {
  return String(BigInt(Math.round(at)) * 1_000_000n)
}
