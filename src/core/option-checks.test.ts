import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anythingAtAll } from '../../test/hostile-values.ts'
import { RedriveError } from './errors.ts'
import {
  aFunction,
  durationWithin,
  flag,
  listOf,
  numberWithin,
  objectWith,
  oneOf,
  secret,
  sizeWithin,
  text,
  wholeNumber,
} from './option-checks.ts'
import type { Check } from './options.ts'

const checks: Readonly<Record<string, Check<unknown>>> = {
  wholeNumber: wholeNumber({ min: 1, max: 9 }),
  numberWithin: numberWithin({ min: 0, max: 1 }),
  oneOf: oneOf(['fixed', 'linear']),
  durationWithin: durationWithin({ min: '1s', max: '1h' }),
  sizeWithin: sizeWithin({ min: '1KiB', max: '1MiB' }),
  flag,
  text: text(5),
  secret: secret(7),
  listOf: listOf(flag, 2),
  aFunction,
  objectWith: objectWith<{ now(): number }>(['now'], 'a clock'),
}

function check(name: string, value: unknown): unknown {
  return checks[name]?.(value, 'x')
}

it.each([
  ['wholeNumber', 9, 9],
  ['numberWithin', 0.5, 0.5],
  ['oneOf', 'linear', 'linear'],
  ['durationWithin', '1m', 60_000],
  ['sizeWithin', '2KiB', 2048],
  ['flag', false, false],
  ['text', 'hello', 'hello'],
  ['secret', 'hunter2', 'hunter2'],
  ['listOf', [true, false], [true, false]],
  ['aFunction', Date.now, Date.now],
  ['objectWith', Date, Date],
])('%s takes %j', (name, value, result) => {
  expect(check(name, value)).toEqual(result)
})

it.each([
  ['secret', 'hunter22', 'x is not text of 1 to 7 characters without line breaks.'],
  ['wholeNumber', 10, 'x is 10. Allowed: a whole number from 1 to 9.'],
  ['wholeNumber', 1.5, 'x is 1.5. Allowed: a whole number from 1 to 9.'],
  ['wholeNumber', '3', 'x is "3". Allowed: a whole number from 1 to 9.'],
  ['aFunction', {}, 'x is an object. Allowed: a function.'],
  ['objectWith', { now: 1 }, 'x is an object. Allowed: a clock.'],
  ['numberWithin', Number.NaN, 'x is NaN. Allowed: a number from 0 to 1.'],
  ['oneOf', 'cubic', 'x is "cubic". Allowed: "fixed", "linear".'],
  ['durationWithin', '2h', 'x is "2h". Allowed: a duration from 1s to 1h.'],
  ['durationWithin', null, 'x is null. Allowed: a duration such as "30s".'],
  ['sizeWithin', 5, 'x is 5. Allowed: a size from 1KiB to 1MiB.'],
  ['sizeWithin', {}, 'x is an object. Allowed: a size such as "64KiB".'],
  ['flag', 'yes', 'x is "yes". Allowed: true or false.'],
  ['text', ' ', 'x is " ". Allowed: text of 1 to 5 characters.'],
  ['text', 'longer', 'x is "longer". Allowed: text of 1 to 5 characters.'],
  ['listOf', [true, 1], 'x[1] is 1. Allowed: true or false.'],
  ['listOf', [true, true, true], 'x is an array. Allowed: an array of at most 2 items.'],
  ['listOf', 'ab', 'x is "ab". Allowed: an array of at most 2 items.'],
])('%s refuses %o', (name, value, message) => {
  expect(() => check(name, value)).toThrow(expect.objectContaining({ code: 'bad-option', message }))
})

describe.each(Object.keys(checks))('%s', (name) => {
  it('throws nothing but a RedriveError, whatever it is given', () => {
    fc.assert(
      fc.property(anythingAtAll, (make) => {
        try {
          check(name, make())
        } catch (error) {
          expect(error).toBeInstanceOf(RedriveError)
        }
      }),
    )
  })
})
