import { expect, it } from 'vitest'
import { containsPhrase, normaliseText } from './word-match.ts'

it.each([
  ['timeout', 'timeout', true],
  ['a timeout.', 'timeout', true],
  ['timeouts, then a timeout', 'timeout', true],
  ['timeouts', 'timeout', false],
  ['5timeout', 'timeout', false],
  ['étimeout', 'timeout', false],
  ['aab aa', 'aa', true],
  ['(x|y)*', '(x|y)*', true],
  ['xy', '(x|y)*', false],
  ['', 'timeout', false],
  ['anything', '', false],
])('in %j, whether %j stands as whole words is %j', (text, phrase, found) => {
  expect(containsPhrase(text, phrase)).toBe(found)
})

it('normalises case and white space', () => {
  expect(normaliseText('  Not\r\n\tFOUND ')).toBe('not found')
})
