import { statusOfCode } from '../../src/server/problem.ts'
import { type Right, rightMeanings, roles, rolesWithRight } from '../../src/server/rights.ts'
import { table } from './generated-sections.ts'

/** Who may do what, as the server decides it. */
export function rightsTable(): string {
  const rows = (Object.keys(rolesWithRight) as Right[]).map((right) => [
    `\`${right}\``,
    rightMeanings[right],
    ...roles.map((role) => (rolesWithRight[right].includes(role) ? 'yes' : '')),
  ])
  return table(['Right', 'To', ...roles], rows)
}

/** What a client meets; the codes that only consumers meet are left out. */
export function statusTable(): string {
  const shown = Object.entries(statusOfCode).filter(([, status]) => status !== 500)
  const byStatus = Map.groupBy(shown, ([, status]) => status)
  const rows = [...byStatus].toSorted(([one], [other]) => one - other)
  return table(
    ['Status', 'Codes'],
    rows.map(([status, codes]) => [String(status), codes.map(([code]) => `[\`${code}\`](errors.md#${code})`).join(', ')]),
  )
}
