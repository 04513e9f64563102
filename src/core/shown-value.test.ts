import { expect, it } from 'vitest'
import { show } from './shown-value.ts'

it.each<[unknown, string]>([
  ['a', '"a"'],
  ['two\nlines', '"two\\nlines"'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}"…`],
  [5, '5'],
  [Number.NaN, 'NaN'],
  [true, 'true'],
  [undefined, 'undefined'],
  [null, 'null'],
  [[], 'an array'],
  [{}, 'an object'],
  [() => {}, 'a function'],
  [1n, 'a bigint'],
  [Symbol('a'), 'a symbol'],
])('%s is shown as %s', (value, shown) => {
  expect(show(value)).toBe(shown)
})
