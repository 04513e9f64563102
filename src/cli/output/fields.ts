import { shown, type Terminal } from '../terminal.ts'
import { paintFor } from './paint.ts'

/** Names and values under each other; what there is not is left out. */
export function fieldsOf(
  fields: readonly (readonly [name: string, value: string | number | null | undefined])[],
  terminal: Terminal,
): string {
  const paint = paintFor(terminal)
  const there = fields.filter(([, value]) => value !== null && value !== undefined && value !== '')
  const width = Math.max(0, ...there.map(([name]) => name.length))
  return there.map(([name, value]) => `${paint('bold', name.padEnd(width))}  ${shown(String(value))}\n`).join('')
}

/** A heading with lines under it, or nothing where there are none. */
export function section(title: string, lines: readonly string[], terminal: Terminal): string {
  if (lines.length === 0) return ''
  return `\n${paintFor(terminal)('bold', title)}\n${lines.map((line) => `  ${line}\n`).join('')}`
}
