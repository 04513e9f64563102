import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLentHeaders, type LentHeaders } from './lent-headers.ts'

type Table = Readonly<Record<string, unknown>>

/** What the library writes: all that stands in the table or behind it, but for what is undefined. */
function writtenOf(table: Table): Table {
  const written: Record<string, unknown> = {}
  const read = Object.create(table) as Table
  for (const name in read) if (read[name] !== undefined) written[name] = read[name]
  return written
}

const tables = fc.array(
  fc.dictionary(
    fc.constantFrom('a', 'b', 'toString', 'constructor', 'redrive-letter'),
    fc.constantFrom<unknown>('x', 0, null, false, ''),
  ),
  { maxLength: 6 },
)

function differs(make: () => LentHeaders): boolean {
  const each = fc.property(tables, (published) => {
    const lent = make()
    for (const headers of published) {
      expect(writtenOf(lent.lend(headers))).toEqual({ ...headers })
      lent.takeBack(headers)
    }
  })
  return fc.check(each).failed
}

test('every publish has its own headers and none of another one', () => {
  expect(differs(createLentHeaders)).toBe(false)
})

test('planted bug: a table that keeps what was lent is found out', () => {
  expect(differs(() => ({ ...createLentHeaders(), takeBack: () => {} }))).toBe(true)
})

test('names that are used once do not pile up', () => {
  const lent = createLentHeaders()
  const sizes = Array.from({ length: 1000 }, (_, index) => {
    const headers = { [`x-${index}`]: index }
    const table = lent.lend(headers)
    lent.takeBack(headers)
    return Object.keys(table).length
  })
  expect(Math.max(...sizes)).toBeLessThan(100)
})
