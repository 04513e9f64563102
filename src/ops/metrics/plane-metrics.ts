import { counter, gauge, type MetricFamily, type MetricPoint } from '../../core/metrics/metric-family.ts'
import type { AlertStatus } from '../alerts/alert-status.ts'
import type { SourceStatus } from '../control-plane.ts'

/** What is told to who may see it. Everything is a count, or the name of a channel. */
export interface Measured {
  readonly sources: readonly SourceStatus[]
  /** Letters of all replays, by how they ended; only for who sees all sources, as the rest. */
  readonly replayed: readonly { readonly state: string; readonly letters: number }[]
  readonly notifiers: readonly Outbox[]
  /** Whether this control plane works, or another one on the same vault does. */
  readonly works?: boolean
  /** How many sources it collects. */
  readonly collects?: number
  readonly alerts: readonly Pick<AlertStatus, 'rule' | 'severity' | 'phase'>[]
}

/** What one receiver of alerts has not got yet. */
export interface Outbox {
  readonly name: string
  readonly waiting: number
  readonly dead: number
}

/** Each of them is a dozen series. What is beyond is counted and not shown. */
export const mostSources = 500

/** What a control plane counts. What nobody knows must never read as 0: it is left out, and so is a name without a value. */
export function planeMetrics({ sources, replayed, notifiers, alerts, works, collects }: Measured): readonly MetricFamily[] {
  const shown = sources.slice(0, mostSources)
  const perSource = (value: (status: SourceStatus) => number | undefined): MetricPoint[] =>
    shown.flatMap((status) => labelled(status, value(status)))
  const families = [
    gauge(
      'redrive_unresolved_letters',
      'Letters that ask for attention: on the broker and in the vault, each once.',
      perSource(({ unresolved }) => unresolved),
    ),
    gauge(
      'redrive_broker_letters',
      'Letters on the broker that are not in the vault. Absent while nobody knows.',
      perSource(({ onBroker }) => ('letters' in onBroker ? onBroker.letters : undefined)),
    ),
    gauge(
      'redrive_source_up',
      'Whether the dead-letter channel could be counted: 1, or 0.',
      perSource(({ onBroker }) => Number('letters' in onBroker)),
    ),
    counter(
      'redrive_letters_kept_total',
      'Letters that were ever kept from this dead-letter channel.',
      perSource(({ source }) => source.inserted),
    ),
    gauge('redrive_letters', 'Letters in the vault, by state.', shown.flatMap(byState)),
    gauge(
      'redrive_replayed_letters',
      'Letters of all replays, by what became of them.',
      replayed.map(({ state, letters }) => ({ labels: { state }, value: letters })),
    ),
    gauge(
      'redrive_alerts_firing',
      'Alerts that fire, or are about to be over.',
      counted(alerts.filter(({ phase }) => phase !== 'pending')),
    ),
    gauge('redrive_deliveries', 'Notifications that wait or were given up.', notifiers.flatMap(ofNotifier)),
    gauge(
      'redrive_working',
      'Whether this control plane works, or stands by while another one does: 1, or 0.',
      works === undefined ? [] : [{ labels: {}, value: Number(works) }],
    ),
    gauge(
      'redrive_collected_sources',
      'Dead-letter channels that this control plane collects.',
      collects === undefined ? [] : [{ labels: {}, value: collects }],
    ),
    gauge('redrive_sources_not_shown', 'Dead-letter channels beyond those that are shown here.', [
      { labels: {}, value: sources.length - shown.length },
    ]),
  ]
  return families.filter(({ points }) => points.length > 0)
}

function labelsOf({ source: { connection, channel, part, group } }: SourceStatus): MetricPoint['labels'] {
  return { connection, 'queue.name': channel, ...(part !== '' && { part }), ...(group !== '' && { 'consumer.group': group }) }
}

function labelled(status: SourceStatus, value: number | undefined): readonly MetricPoint[] {
  return value === undefined ? [] : [{ labels: labelsOf(status), value }]
}

function byState(status: SourceStatus): readonly MetricPoint[] {
  return Object.entries(status.source.letters).map(([state, letters]) => ({
    labels: { ...labelsOf(status), state },
    value: letters ?? 0,
  }))
}

function counted(alerts: Measured['alerts']): readonly MetricPoint[] {
  const groups = Map.groupBy(alerts, ({ rule, severity }) => JSON.stringify({ rule, severity }))
  return [...groups].map(([key, { length }]) => ({ labels: JSON.parse(key), value: length }))
}

function ofNotifier({ name, waiting, dead }: Outbox): readonly MetricPoint[] {
  return [
    { labels: { sink: name, state: 'waiting' }, value: waiting },
    { labels: { sink: name, state: 'dead' }, value: dead },
  ]
}
