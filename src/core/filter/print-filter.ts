import { isoTime } from '../dialects/iso-time.ts'
import { formatDuration } from '../duration.ts'
import { fields } from './fields.ts'
import type { Comparison, Filter, Term, Text } from './filter.ts'
import type { Pattern } from './pattern.ts'

/** The filter as text, in its canonical form: `parseFilter` reads the same filter from it. */
export function printFilter(filter: Filter): string {
  if (filter.kind === 'all')
    return filter.of.map((part) => (part.kind === 'any' ? inParentheses(part) : printFilter(part))).join(' ')
  if (filter.kind === 'any') return filter.of.map(printFilter).join(' OR ')
  if (filter.kind !== 'not') return printTerm(filter)
  return `-${filter.of.kind === 'all' || filter.of.kind === 'any' ? inParentheses(filter.of) : printFilter(filter.of)}`
}

function inParentheses(filter: Filter): string {
  return `(${printFilter(filter)})`
}

function printTerm(term: Term): string {
  switch (term.kind) {
    case 'ids':
      return `${term.field}:${list(term.values.map(printPiece))}`
    case 'names':
      return `${term.field}:${list(term.patterns.map(printPattern))}`
    case 'header':
      return `header.${printHeaderName(term.name)}:${list(term.patterns.map(printPattern))}`
    case 'state':
    case 'has':
      return `${term.kind}:${list(term.values)}`
    case 'cause':
      return `cause:${list(term.beginnings.map(printPiece))}`
    case 'compare':
      return `${term.field}${term.operator === '=' ? ':' : term.operator}${printQuantity(term)}`
    case 'text':
      return `${term.where === 'body' ? 'body:' : ''}${printWords(term)}`
  }
}

function list(values: readonly string[]): string {
  return values.join(',')
}

function printPattern(pattern: Pattern): string {
  return pattern.length === 1
    ? printPiece(pattern[0] ?? '')
    : pattern.map((piece) => (piece === '' ? '' : printPiece(piece))).join('*')
}

/** What would end a value, or be taken for a star, stands in quotes. */
function printPiece(piece: string): string {
  return piece === '' || /[\s,*()"]/.test(piece) ? quoted(piece) : piece
}

function printHeaderName(name: string): string {
  return /[\s:<>="()]/.test(name) ? quoted(name) : name
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

function printWords({ words, open }: Text): string {
  const text = words.join(' ')
  return `${words.length === 1 ? text : quoted(text)}${open ? '*' : ''}`
}

function printQuantity({ field, value }: Comparison): string {
  switch (fields[field].kind) {
    case 'number':
      return String(value)
    case 'size':
      return printSize(value)
    case 'duration':
      return formatDuration(value)
    case 'time':
      return isoTime(value).replace(/T00:00:00\.000Z$|(?::00)?\.000Z$/, (rest) => (rest.startsWith('T') ? '' : 'Z'))
  }
}

const sizes = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const

/** The largest unit of which it is a whole number. */
function printSize(bytes: number): string {
  const [unit, size] = sizes.find(([, size]) => bytes > 0 && bytes % size === 0) ?? ['B', 1]
  return `${bytes / size}${unit}`
}
