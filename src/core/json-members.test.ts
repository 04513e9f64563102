import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withoutMembers } from './json-members.ts'

const leavesOut =
  (...names: readonly string[]) =>
  (name: string) =>
    names.includes(name)

test.each([
  ['one of them', '{"a":1,"b":2}', '{,"b":2}'],
  ['the last one', '{ "b" : 2.50 , "a" : "x" }', '{ "b" : 2.50 , }'],
  ['one whose name is escaped', '{"\\u0061":true}', '{}'],
  ['one that stands there twice', '{"a":"x","a":null}', '{,}'],
  ['one with brackets and quotes in its text', '{"a":"}],\\":\\\\","b":1}', '{,"b":1}'],
  ['no object, and no list', '{"a":{"a":1},"b":[{"a":2}]}', '{"a":{"a":1},"b":[{"a":2}]}'],
  ['one behind an object', '{"b":{"c":1},"a":1}', '{"b":{"c":1},}'],
  ['none of another name', '{"b":"a","c":12345678901234567890.10}', '{"b":"a","c":12345678901234567890.10}'],
])('it leaves out %s', (_, json, rest) => {
  expect(withoutMembers(json, leavesOut('a'))).toBe(rest)
})

test('what is left out of any object are its simple members of that name', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, name) => {
      const json = JSON.stringify({ ...object, [name]: 'left out' })
      const { [name]: _, ...others } = object
      const rest = withoutMembers(json, leavesOut(name)).replace('{,', '{').replace(',,', ',').replace(',}', '}')
      fc.pre(!json.includes(',,') && !json.includes(',}') && !json.includes('{,'))
      expect(JSON.parse(rest)).toEqual(JSON.parse(JSON.stringify(others)))
    }),
  )
})
