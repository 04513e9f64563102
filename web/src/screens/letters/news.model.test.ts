import { expect, test } from 'vitest'
import { newsText } from './news.model.ts'

const asOf = { letters: 5, doubts: 2 }

test.each([
  [{ letters: 5, doubts: 2 }, undefined],
  [{ letters: 6, doubts: 2 }, '1 letter came or changed'],
  [{ letters: 5, doubts: 3 }, 'Letters may have come or changed'],
  [{ letters: 1005, doubts: 3 }, '1,000 letters came or changed, perhaps more'],
])('of %j a list that knows of 5 letters and 2 doubts says %j', (told, text) => {
  expect(newsText(asOf, told)).toBe(text)
})
