import { statusOfCode } from '../../src/server/problem.ts'
import { type Right, roles, rolesWithRight } from '../../src/server/rights.ts'
import { table } from './generated-sections.ts'

const meanings: Readonly<Record<Right, string>> = {
  'metadata:read': 'see letters, causes, replays, sources and timelines, and nothing of payloads',
  'payload:read': 'see payloads masked, and filter by headers',
  'payload:reveal': 'see and download payloads as they are, and filter by bodies; given to a person by itself',
  'letters:discard': 'discard and restore letters, and write notes on them',
  'letters:edit': 'make a changed copy of a letter, and send it',
  'letters:purge': 'purge and erase letters, which nobody brings back',
  'causes:judge': 'say what a cause is: seen, mended, archived; whose it is; notes',
  'replays:make': 'preview, seal, pause, resume and cancel replays; decide what became of unknown letters',
  'replays:start': 'start a sealed replay',
  'replays:approve': 'be the second person who starts it, where two are asked for',
  'audit:read': 'read and verify the audit trail',
  'users:manage': 'make, change and disable users; see and revoke all tokens',
}

/** Who may do what, as the server decides it. */
export function rightsTable(): string {
  const rows = (Object.keys(rolesWithRight) as Right[]).map((right) => [
    `\`${right}\``,
    meanings[right],
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
