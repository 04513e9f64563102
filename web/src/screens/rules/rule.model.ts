import type { Condition } from '../../../../src/core/alerts/condition.ts'
import { conditionText } from '../../../../src/core/alerts/condition-text.ts'
import { limitOf } from '../../../../src/core/alerts/rule-options.ts'
import { formatDuration, parseDuration } from '../../../../src/core/duration.ts'
import type { Rule, RuleTest } from '../../api/rules.ts'

/** When it holds, in the words of docs/alerts.md. The server gives conditions as the core has them. */
export function holdsText({ condition }: Pick<Rule, 'condition'>): string {
  return conditionText(condition as unknown as Condition)
}

export function spanText(milliseconds: number): string {
  return milliseconds === 0 ? 'at once' : formatDuration(milliseconds)
}

/** What it is about; everything where nobody says. */
export function scopeText({ scope }: Pick<Rule, 'scope'>): string {
  return [scope.source, scope.queue, scope.consumerGroup].filter((part) => part !== undefined).join('/') || 'everything'
}

/** What a person wants to try: absent parts are the rule's own. */
export interface Trial {
  readonly since: string
  readonly limit: string
  readonly lasting: string
}

export type Tried = { readonly since: number; readonly limit?: number; readonly for?: number } | { readonly mistake: string }

export function triedWith(rule: string, { since, limit, lasting }: Trial, now: number): Tried {
  try {
    return {
      since: now - parseDuration(since.trim(), 'How far back'),
      ...(limit.trim() !== '' && { limit: limitOf(rule, limit.trim()) }),
      ...(lasting.trim() !== '' && { for: parseDuration(lasting.trim(), 'For') }),
    }
  } catch (error) {
    return { mistake: error instanceof Error ? error.message : String(error) }
  }
}

/** What came of it, in a sentence. */
export function verdictText({ samples, changes }: RuleTest): string {
  if (samples === 0) return 'Nothing was seen in that time: what is seen is kept for seven days while the control plane runs.'
  const fired = changes.filter(({ change }) => change === 'fired').length
  return `It would have fired ${fired === 1 ? 'once' : `${fired} times`}, by ${samples} looks.`
}
