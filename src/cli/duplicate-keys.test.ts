import fc from 'fast-check'
import { expect, test } from 'vitest'
import { duplicateKey } from './duplicate-keys.ts'

test.each([
  ['{"a": 1, "a": 2}', 'a'],
  ['{"a": {"b": 1}, "c": [{"d": 1, "d": "}"}]}', 'd'],
  ['{"a": 1, "\\u0061": 2}', 'a'],
  ['{"a": ["a", "a"], "b": {"a": "a"}}', undefined],
  ['[{"a": "\\"a\\": "}, {"a": "{"}]', undefined],
])('in %s the key that stands twice is %s', (json, expected) => {
  expect(duplicateKey(json)).toBe(expected)
})

test('what was written from a value never has one', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => duplicateKey(JSON.stringify(value, null, 1)) === undefined))
})
