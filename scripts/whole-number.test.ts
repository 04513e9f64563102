import { expect, it } from 'vitest'
import { wholeNumber } from './whole-number.ts'

it.each(['0', '17'])('takes %s', (text) => {
  expect(wholeNumber('kills', text, 0)).toBe(Number(text))
})

it.each(['many', '', '-1', '1.5', '1e3', '0'])('refuses %j where at least 1 is needed', (text) => {
  expect(() => wholeNumber('seeds', text, 1)).toThrow(`--seeds is ${JSON.stringify(text)}. Allowed: a whole number from 1.`)
})
