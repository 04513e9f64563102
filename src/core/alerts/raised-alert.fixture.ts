import { noFlaps } from './flapping.ts'
import { fingerprintOf } from './identity.ts'
import type { RaisedAlert } from './raised-alert.ts'

/** An alert that fires, about one queue, unless told otherwise. */
export function raisedAlert(changes: Partial<RaisedAlert> = {}): RaisedAlert {
  const { rule = 'dlq.any', subject = { source: 'shop', queue: 'dlq.orders' }, labels = {} } = changes
  return {
    ...{ rule, type: 'dlq.any', severity: 'critical', subject, labels, ruleKey: 'key' },
    fingerprint: fingerprintOf({ rule, subject, labels }),
    state: { phase: 'firing', since: 0, episode: 1 },
    flaps: noFlaps(0),
    ...{ figures: {}, errors: [], correlationIds: [], firedAt: 0, seenAt: 0, changedAt: 0 },
    ...changes,
  }
}
