/** From the least to the most urgent. */
export const severities = ['info', 'warning', 'critical'] as const

export type Severity = (typeof severities)[number]

export function highest(found: readonly Severity[]): Severity {
  return severities.findLast((severity) => found.includes(severity)) ?? 'info'
}
