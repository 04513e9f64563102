import type { Alert } from '../../api/alerts.ts'
import type { Cause } from '../../api/causes.ts'
import { seen } from '../../parts/seen.model.ts'
import { causeFilter, quoted } from '../letters/filter.model.ts'

const weights: Readonly<Record<Alert['severity'], number>> = { critical: 0, warning: 1, info: 2 }

/** The worst first, and of two that are as bad the newer one. */
export function bySeverity(one: Alert, other: Alert): number {
  return weights[one.severity] - weights[other.severity] || other.firedAt - one.firedAt
}

/** What people have to know of, and what they need not: it does not hold long enough yet, or a larger alert speaks for it. */
export function inOrder(alerts: readonly Alert[]): { readonly first: readonly Alert[]; readonly rest: readonly Alert[] } {
  const [first, rest] = [alerts.filter((alert) => !isAside(alert)), alerts.filter(isAside)]
  return { first: first.toSorted(bySeverity), rest: rest.toSorted(bySeverity) }
}

function isAside({ phase, mutedBy }: Alert): boolean {
  return phase === 'pending' || (mutedBy !== null && mutedBy !== 'silence')
}

/** A cause by its name: an alert only knows its fingerprint, which says nothing to anybody who was just woken up. */
type Named = Pick<Cause, 'id' | 'fingerprint' | 'title'>

/** Where to look first, whatever the alert is about. */
export function nextStep(
  { cause, queue, replay, sink, type }: Alert,
  causes: readonly Named[] = [],
): { readonly text: string; readonly to: string } | undefined {
  const known = causes.find(({ fingerprint }) => fingerprint === cause)
  if (known) return { text: seen(known.title), to: `/causes/${known.id}` }
  if (cause !== null) return { text: 'Its letters', to: lettersAt(`state:open ${causeFilter(cause)}`) }
  if (replay !== null) return { text: 'The replay', to: `/replays/${replay}` }
  if (sink !== null) return { text: 'The notifier', to: '/alerts/notifiers' }
  if (consumed.has(type)) return { text: 'The consumers', to: '/consumers' }
  if (queue !== null) return { text: 'Its letters', to: lettersAt(`state:open source:${quoted(queue)}`) }
  return type === 'broker.down' ? { text: 'The sources', to: '/sources' } : undefined
}

/** What consumers reported about the channels that they read, which are no dead-letter queues. */
const consumed: ReadonlySet<Alert['type']> = new Set([
  'fail.ratio',
  'retry.ratio',
  'dlq.publish.failed',
  'spool.not.empty',
  'breaker.open',
  'consumer.vanished',
  'consumer.none',
])

function lettersAt(filter: string): string {
  return `/letters?${new URLSearchParams({ filter })}`
}
