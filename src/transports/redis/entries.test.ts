import { expect, test } from 'vitest'
import { createEntries } from './entries.ts'

const entry = (id: string) => ({ channel: 'work', id, holder: 'me', hasOwnBody: true })

test('an entry keeps its number while it is known, and another has another', () => {
  const entries = createEntries()
  const number = entries.numberOf(entry('1-0'))
  expect(entries.numberOf(entry('1-0'))).toBe(number)
  expect(entries.numberOf(entry('2-0'))).not.toBe(number)
  expect(entries.numberOf({ ...entry('1-0'), channel: 'other' })).not.toBe(number)
})

test('whoever forgets an entry that was claimed anew meanwhile takes nothing from its new holder', () => {
  const entries = createEntries()
  const before = entry('1-0')
  const number = entries.numberOf(before)
  const after = entry('1-0')
  entries.numberOf(after)
  entries.forget(number, before)
  expect(entries.entryOf(number)).toBe(after)
  entries.forget(number, after)
  expect(entries.entryOf(number)).toBeUndefined()
})
