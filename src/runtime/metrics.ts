import { counter, gauge, type MetricFamily, type MetricPoint } from '../core/metrics/metric-family.ts'
import { type ChannelStats, durationBounds, lettersIn } from './stats.ts'

type Channels = ReadonlyMap<string, ChannelStats>

/** What a consumer counted, by the names in the seeds and by OpenTelemetry's. `system` is what those call the broker. */
export function collectMetrics(channels: Channels, system: string): readonly MetricFamily[] {
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
    counter('dlq_messages_total', 'Messages put into a dead-letter or invalid channel, all reasons.', each(lettersIn)),
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
      unit: 's',
      points: tallied(channels, durationsOf),
    },
    ...byConvention(channels, system),
  ]
}

function tallied(channels: Channels, value: (tally: ChannelStats['fresh']) => MetricPoint['value']): MetricPoint[] {
  return [...channels].flatMap(([queue, stats]) => [
    { labels: { 'queue.name': queue, replayed: 'false' }, value: value(stats.fresh) },
    { labels: { 'queue.name': queue, replayed: 'true' }, value: value(stats.replayed) },
  ])
}

function durationsOf({ durations }: ChannelStats['fresh']): MetricPoint['value'] {
  return { ...durations, bounds: durationBounds }
}

/** The names of OpenTelemetry's conventions for messaging, which dashboards of others know. */
function byConvention(channels: Channels, system: string): readonly MetricFamily[] {
  const each = (operation: string, value: (tally: ChannelStats['fresh']) => MetricPoint['value']): MetricPoint[] =>
    tallied(channels, value).map(({ labels: { 'queue.name': queue = '', replayed = '' }, ...point }) => ({
      labels: {
        ...{ 'messaging.system': system, 'messaging.operation.name': operation },
        ...{ 'messaging.destination.name': queue, replayed },
      },
      ...point,
    }))
  return [
    {
      ...counter(
        'messaging.client.consumed.messages',
        'Messages taken from the broker.',
        each('receive', (tally) => tally.received),
      ),
      unit: '{message}',
    },
    {
      name: 'messaging.process.duration',
      help: 'How long handler runs took.',
      kind: 'histogram',
      unit: 's',
      points: each('process', durationsOf),
    },
  ]
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
  return [...channels].map(([topic, stats]) => ({ labels: { original_topic: topic }, value: lettersIn(stats) }))
}
