import { describe, expect, it } from 'vitest'
import { cutToBytes, cutToLength } from './cut.ts'

describe('text cut to a length', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['abcd', 0, ''],
    ['', 0, ''],
    // The second character takes two units, and is never torn.
    ['a😀bc', 4, 'a😀…'],
    ['a😀bc', 3, 'a…'],
    ['ab\ud7ffcd', 4, 'ab\ud7ff…'],
    ['ab\udc00cd', 4, 'ab\udc00…'],
  ])('%j in %d units is %j', (text, limit, cut) => {
    expect(cutToLength(text, limit)).toBe(cut)
  })
})

describe('text cut to bytes of UTF-8', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 4, 'abcd'],
    ['abcd', 3, '…'],
    ['abcde', 4, 'a…'],
    ['abcd', 2, ''],
    ['ééé', 6, 'ééé'],
    ['ééé', 5, 'é…'],
    ['ééé', 4, '…'],
    ['€€', 6, '€€'],
    ['€€', 5, '…'],
    ['a😀bcde', 8, 'a😀…'],
    ['a😀bc', 7, 'a😀bc'],
    ['a😀bcd', 7, 'a…'],
  ])('%j in %d bytes is %j', (text, limit, cut) => {
    expect(cutToBytes(text, limit)).toBe(cut)
  })
})
