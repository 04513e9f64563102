import { createAlertBook } from '../../core/alerts/alert-book.ts'
import type { Subject } from '../../core/alerts/identity.ts'
import type { Figures } from '../../core/alerts/notification.ts'
import type { Rule } from '../../core/alerts/rule.ts'
import type { KeptSample } from '../../vault/operations/alert-samples.ts'

/** What a rule would have said about what was seen. */
export interface RuleTest {
  readonly samples: number
  /** Epoch milliseconds; absent where nothing was seen. */
  readonly from?: number
  readonly to?: number
  readonly changes: readonly RuleTestChange[]
}

export interface RuleTestChange {
  readonly at: number
  readonly change: 'fired' | 'resolved'
  readonly subject: Subject
  readonly figures: Figures
}

/** Looks that were kept go through the rule as they went through the engine. Nothing is said to anybody. */
export function testRule(rule: Rule, samples: readonly KeptSample[]): RuleTest {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last) return { samples: 0, changes: [] }
  const book = createAlertBook({ rules: [rule], alerts: [], outage: 0, moment: { now: first.at, wallNow: first.takenAt } })
  const changes = samples.flatMap((sample) =>
    book.look(sample, { now: sample.at, wallNow: sample.takenAt }).map(({ change, alert }) => ({
      at: sample.takenAt,
      change,
      subject: alert.subject,
      figures: alert.figures,
    })),
  )
  return { samples: samples.length, from: first.takenAt, to: last.takenAt, changes }
}
