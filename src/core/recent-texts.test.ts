import { expect, test } from 'vitest'
import { forRecentTexts } from './recent-texts.ts'

function counted(): { readonly made: string[]; readonly upper: (text: string) => string } {
  const made: string[] = []
  const upper = forRecentTexts((text) => {
    made.push(text)
    return text.toUpperCase()
  })
  return { made, upper }
}

test('texts that take turns are made something of once each', () => {
  const { made, upper } = counted()
  const told = Array.from({ length: 3 }, () => ['declined', 'NoCard', 'Error', 'card'].map(upper))
  expect(told).toEqual(Array(3).fill(['DECLINED', 'NOCARD', 'ERROR', 'CARD']))
  expect(made).toEqual(['declined', 'NoCard', 'Error', 'card'])
})

test('only the last few are kept, and the oldest goes first', () => {
  const { made, upper } = counted()
  for (const text of ['a', 'b', 'c', 'd', 'e', 'b', 'a']) upper(text)
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'a'])
})
