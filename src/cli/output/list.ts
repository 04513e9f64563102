import { visibleJson } from '../../core/visible.ts'
import type { Terminal } from '../terminal.ts'
import { type Column, tableOf } from './table.ts'

export interface ListOptions {
  readonly json?: boolean
  readonly jsonl?: boolean
}

export const jsonlOption: readonly [flags: string, description: string] = [
  '--jsonl',
  'one line of JSON for each, and nothing else',
]

/** A list for a person, as one JSON document under its name, or as a line of JSON for each. */
export function printList<Row>(
  name: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { json, jsonl }: ListOptions,
  terminal: Terminal,
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (jsonl) for (const row of rows) terminal.out(`${visibleJson(row)}\n`)
  else if (json) terminal.out(`${visibleJson({ [name]: rows, ...more })}\n`)
  else if (rows.length > 0) terminal.out(tableOf(columns, rows, terminal))
}
