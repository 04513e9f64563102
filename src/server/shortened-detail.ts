import { hash } from 'node:crypto'
import { cutToLength } from '../core/cut.ts'

type Detail = Readonly<Record<string, unknown>>

/** What one value may take: seven of them fit into a row, and no request has more fields that are noted. */
const longestValue = 500
const longestText = 200

/**
 * A detail in which every list and every text fits into a row of the audit trail. Of a longer one there is left how much it was, what can be compared with
 * it, and where it began and ended: who purged which letters is asked when nothing else tells it any more.
 */
export function shortenedDetail(detail: Detail): Detail {
  return Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, shortened(value)]))
}

function shortened(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length <= longestValue) return value
  if (Array.isArray(value))
    return { count: value.length, sha256: sha256(text), first: edge(value.at(0)), last: edge(value.at(-1)) }
  if (typeof value === 'string') return { length: value.length, sha256: sha256(value), begins: cutToLength(value, longestText) }
  const within = shortenedDetail(value as Detail)
  return JSON.stringify(within).length <= longestValue ? within : { length: text.length, sha256: sha256(text) }
}

function edge(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text.length <= 60 ? value : cutToLength(text, 60)
}

function sha256(text: string): string {
  return hash('sha256', text)
}
