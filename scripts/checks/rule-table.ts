import { conditionText, spanText } from '../../src/core/alerts/condition-text.ts'
import { defaultRules, watchdog } from '../../src/core/alerts/default-rules.ts'
import type { Rule } from '../../src/core/alerts/rule.ts'
import { table } from './generated-sections.ts'

/** What is watched when nobody says anything, as the engine does it. */
export function ruleTable(): string {
  const rows = [...defaultRules, watchdog].map((rule) => [
    `\`${rule.id}\``,
    rule.severity,
    conditionText(rule.condition, (measured) => `\`${measured}\``),
    spanText(rule.for),
    resolution(rule),
  ])
  return table(['Rule', 'Severity', 'Holds when', 'For', 'Resolved when clear for'], rows)
}

function resolution({ condition, keepFiringFor }: Rule): string {
  return condition.kind === 'always' ? '' : spanText(keepFiringFor)
}
