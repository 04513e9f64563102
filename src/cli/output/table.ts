import Table from 'cli-table3'
import { shown, type Terminal } from '../terminal.ts'
import { type Paint, paintFor } from './paint.ts'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => string | number | null | undefined
  readonly style?: (row: Row) => Parameters<Paint>[0]
  readonly align?: 'right'
  /** Gives way where the screen is narrow. */
  readonly gives?: true
}

const none = '-'
const narrowest = 12
const gap = 2
const bare = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '', 'bottom-left': '' },
  ...{ 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '' },
}

/** Columns without lines. Everything in a cell is data, so what acts on a terminal is written out first. */
export function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], terminal: Terminal): string {
  const paint = paintFor(terminal)
  const texts = rows.map((row) => columns.map(({ cell }) => shown(String(cell(row) ?? none)) || none))
  const table = new Table({
    chars: bare,
    style: { 'padding-left': 0, 'padding-right': gap, head: [], border: [] },
    head: columns.map(({ head }) => paint('bold', head)),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    colWidths: widths(columns, texts, terminal.columns),
  })
  for (const [index, row] of rows.entries()) {
    table.push(columns.map(({ style }, column) => paint(style?.(row), texts[index]?.[column] ?? none)))
  }
  const lines = table.toString().split('\n')
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`
}

/** Into a file or a pipe everything goes whole; on a narrow screen those that may give way do so by their share, the widest most. */
function widths<Row>(
  columns: readonly Column<Row>[],
  texts: readonly (readonly string[])[],
  available: number | undefined,
): (number | null)[] {
  if (available === undefined) return []
  const natural = columns.map(
    ({ head }, index) => texts.reduce((most, cells) => Math.max(most, cells[index]?.length ?? 0), head.length) + gap,
  )
  const tooMuch = sum(natural) - available
  const giving = sum(natural.map((width, index) => (columns[index]?.gives ? Math.max(0, width - narrowest) : 0)))
  if (tooMuch <= 0 || giving === 0) return []
  const share = Math.min(1, tooMuch / giving)
  return natural.map((width, index) => {
    const spare = columns[index]?.gives ? Math.max(0, width - narrowest) : 0
    return spare === 0 ? null : width - Math.ceil(spare * share)
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
