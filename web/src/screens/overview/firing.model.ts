import type { Alert } from '../../api/alerts.ts'
import { bySeverity } from '../alerts/alert.model.ts'

/** Those that fire and nobody keeps quiet, the worst and then the newest first. What another alert speaks for is not told twice. */
export function worstAlerts(alerts: readonly Alert[]): readonly Alert[] {
  return alerts
    .filter(({ phase, mutedBy }) => (phase === 'firing' || phase === 'recovering') && mutedBy === null)
    .toSorted(bySeverity)
}
