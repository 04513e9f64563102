import { type ChannelStats, durationBounds, type Histogram } from './stats.ts'

/**
 * What a consumer counted, by the names in the seeds. Attribute names are OpenTelemetry's (`queue.name`); the Prometheus text
 * writes them as `queue_name`.
 */
export interface MetricFamily {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly points: readonly MetricPoint[]
}

export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number | Histogram
}

type Channels = ReadonlyMap<string, ChannelStats>

export function collectMetrics(channels: Channels): readonly MetricFamily[] {
  const each = (value: (stats: ChannelStats) => number): MetricPoint[] =>
    [...channels].map(([queue, stats]) => ({ labels: { 'queue.name': queue }, value: value(stats) }))
  return [
    counter(
      'messages_received_total',
      'Messages taken from the broker.',
      tallied(channels, (tally) => tally.received),
    ),
    counter(
      'messages_completed_total',
      'Messages processed and completed.',
      each((stats) => stats.completed),
    ),
    counter(
      'messages_retried_total',
      'Messages given back to be delivered again later.',
      each((stats) => stats.retried),
    ),
    counter(
      'messages_released_total',
      'Messages given back uncounted.',
      each((stats) => stats.released),
    ),
    counter(
      'handler_failures_total',
      'Handler runs that failed.',
      each((stats) => stats.failedRuns),
    ),
    counter('messages_deadlettered_total', 'Messages put into a dead-letter or invalid channel.', deadLettered(channels)),
    counter('dlq_messages_total', 'Messages put into a dead-letter or invalid channel, all reasons.', each(letters)),
    counter('dlq_messages_by_error_type', 'The same, by error type.', byErrorType(channels)),
    counter('dlq_messages_by_topic', 'The same, by the channel that the message came from.', byTopic(channels)),
    counter(
      'dlq_publish_failures_total',
      'Attempts to write a letter that failed.',
      each((stats) => stats.publishFailures),
    ),
    counter(
      'dlq_spooled_total',
      'Letters that were put into the spool.',
      each((stats) => stats.spooled),
    ),
    counter(
      'dlq_spool_failures_total',
      'Attempts to write or read the spool that failed.',
      each((stats) => stats.spoolFailures),
    ),
    gauge(
      'dlq_spool_depth',
      'Letters that wait in the spool.',
      each((stats) => stats.spoolDepth),
    ),
    gauge(
      'dlq_spool_aside',
      'Spool files that a person must look at.',
      each((stats) => stats.spoolAside),
    ),
    gauge(
      'messages_in_flight',
      'Handlers that are running.',
      each((stats) => stats.running),
    ),
    gauge(
      'messages_held',
      'Messages that wait for their dead-letter channel.',
      each((stats) => stats.held),
    ),
    gauge(
      'messages_parked',
      'Messages that wait for the end of an outage.',
      each((stats) => stats.parked),
    ),
    gauge(
      'breaker_open',
      'Whether the breaker is open: 1, or 0.',
      each((stats) => stats.breakerOpen),
    ),
    counter(
      'breaker_trips_total',
      'How often the breaker has opened.',
      each((stats) => stats.breakerTrips),
    ),
    counter(
      'batches_split_total',
      'Batches that failed as a whole, so that their messages were called again, each alone.',
      each((stats) => stats.batchesSplit),
    ),
    {
      name: 'handler_duration_seconds',
      help: 'How long handler runs took.',
      kind: 'histogram',
      points: tallied(channels, (tally) => tally.durations),
    },
  ]
}

/** The Prometheus text format, version 0.0.4. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map((family) => [...familyLines(family)].join('\n')).join('\n')
}

const counter = (name: string, help: string, points: readonly MetricPoint[]): MetricFamily => ({
  name,
  help,
  kind: 'counter',
  points,
})
const gauge = (name: string, help: string, points: readonly MetricPoint[]): MetricFamily => ({
  name,
  help,
  kind: 'gauge',
  points,
})

function tallied(channels: Channels, value: (tally: ChannelStats['fresh']) => MetricPoint['value']): MetricPoint[] {
  return [...channels].flatMap(([queue, stats]) => [
    { labels: { 'queue.name': queue, replayed: 'false' }, value: value(stats.fresh) },
    { labels: { 'queue.name': queue, replayed: 'true' }, value: value(stats.replayed) },
  ])
}

function deadLettered(channels: Channels): MetricPoint[] {
  return [...channels].flatMap(([queue, stats]) =>
    (['fresh', 'replayed'] as const).flatMap((kind) =>
      [...stats[kind].deadLettered].map(([reason, value]) => ({
        labels: { 'queue.name': queue, reason, replayed: String(kind === 'replayed') },
        value,
      })),
    ),
  )
}

function byErrorType(channels: Channels): MetricPoint[] {
  const total = new Map<string, number>()
  for (const stats of channels.values()) {
    for (const [type, count] of stats.byErrorType) total.set(type, (total.get(type) ?? 0) + count)
  }
  return [...total].map(([type, value]) => ({ labels: { error_type: type }, value }))
}

function byTopic(channels: Channels): MetricPoint[] {
  return [...channels].map(([topic, stats]) => ({ labels: { original_topic: topic }, value: letters(stats) }))
}

function letters(stats: ChannelStats): number {
  let sum = 0
  for (const count of stats.fresh.deadLettered.values()) sum += count
  for (const count of stats.replayed.deadLettered.values()) sum += count
  return sum
}

function* familyLines(family: MetricFamily): Generator<string> {
  yield `# HELP ${family.name} ${family.help}`
  yield `# TYPE ${family.name} ${family.kind}`
  for (const { labels, value } of family.points) {
    if (typeof value === 'number') yield `${family.name}${labelText(labels)} ${value}`
    else yield* histogramLines(family.name, labels, value)
  }
  yield ''
}

function* histogramLines(name: string, labels: Readonly<Record<string, string>>, histogram: Histogram): Generator<string> {
  let cumulative = 0
  for (const [index, bound] of [...durationBounds, '+Inf'].entries()) {
    cumulative += histogram.buckets[index] ?? 0
    yield `${name}_bucket${labelText({ ...labels, le: String(bound) })} ${cumulative}`
  }
  yield `${name}_sum${labelText(labels)} ${histogram.sum}`
  yield `${name}_count${labelText(labels)} ${histogram.count}`
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name.replace(/[^a-zA-Z0-9_]/g, '_')}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}
