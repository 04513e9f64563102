import { expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import type { Terminal } from '../terminal.ts'
import { type Column, tableOf } from './table.ts'

interface Row {
  readonly id: number
  readonly name: string | null
  readonly text: string
}

const columns: readonly Column<Row>[] = [
  { head: 'ID', cell: ({ id }) => id, align: 'right' },
  { head: 'NAME', cell: ({ name }) => name, gives: true },
  { head: 'TEXT', cell: ({ text }) => text, gives: true },
]

function shownOn(columnsOfScreen: number | undefined, rows: readonly Row[]): readonly string[] {
  const screen = columnsOfScreen === undefined ? {} : { columns: columnsOfScreen }
  const terminal: Terminal = { environment: { NO_COLOR: '1' }, folder: '.', clock: systemClock, out() {}, err() {}, ...screen }
  return tableOf(columns, rows, terminal).split('\n').slice(0, -1)
}

test('columns stand under each other, and what there is not is a dash', () => {
  expect(
    shownOn(undefined, [
      { id: 7, name: null, text: 'a\nb' },
      { id: 12, name: 'orders', text: '' },
    ]),
  ).toEqual(['ID  NAME    TEXT', ' 7  -       a\\nb', '12  orders  -'])
})

test('wide characters take the two places that they need', () => {
  const [, first = '', second = ''] = shownOn(undefined, [
    { id: 1, name: '注文', text: 'x' },
    { id: 2, name: 'abcd', text: 'x' },
  ])
  expect([first.indexOf('x'), second.indexOf('x')]).toEqual([8, 10])
})

test.each([40, 60, 79])('on a screen of %i columns no line is longer than that', (width) => {
  const rows = [
    { id: 1, name: 'settlement.requested.by.somebody', text: 'Something went wrong, and this is a long story about it.' },
  ]
  for (const line of shownOn(width, rows)) expect(line.length).toBeLessThanOrEqual(width)
  expect(shownOn(undefined, rows)[1]).toContain('a long story about it.')
})
