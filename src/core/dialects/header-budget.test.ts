import { describe, expect, it } from 'vitest'
import { headersSize } from '../headers.ts'
import type { Headers } from '../message.ts'
import { fact, fitHeaders, history, stack, text } from './header-budget.ts'

/** A header of one letter and so many characters weighs nine more than these. */
const own = (name: string, length: number): Headers[number] => [name, 'x'.repeat(length)]
const shown = (headers: Headers): string => headers.map(([name, value]) => `${name}:${String(value).length}`).join(' ')

describe('headers that fit', () => {
  it('are all of them, the message’s own first', () => {
    expect(fitHeaders([own('a', 5)], [text('t', 'tt'), fact('f', 'f')], 100)).toEqual([
      ['a', 'xxxxx'],
      ['t', 'tt'],
      ['f', 'f'],
    ])
  })

  it('fit when they weigh exactly what they may', () => {
    const letter = [fact('f', 'fff')]
    expect(shown(fitHeaders([own('a', 5)], letter, 26))).toBe('a:5 f:3')
    expect(shown(fitHeaders([own('a', 5)], letter, 25))).toBe('f:3')
  })
})

describe('headers that do not fit', () => {
  it('keep the first facts, and later ones where there is room for them', () => {
    const letter = [fact('f', 'f'.repeat(11)), fact('g', 'g'.repeat(30)), fact('h', 'h')]
    expect(shown(fitHeaders([], letter, 30))).toBe('f:11 h:1')
    expect(shown(fitHeaders([], letter, 29))).toBe('f:11')
  })

  it('keep the reference to the body before everything else', () => {
    const reference: Headers[number] = ['redrive-body', 'r'.repeat(10)]
    expect(shown(fitHeaders([own('a', 40), reference], [fact('f', 'f')], 45))).toBe('redrive-body:10 f:1')
    expect(shown(fitHeaders([own('a', 5), reference], [text('t', 't'.repeat(90))], 100))).toBe('redrive-body:10 a:5 t:45')
  })

  it('lose the largest of the message’s own, and say which', () => {
    const headers = fitHeaders([own('a', 5), own('b', 50), own('c', 40), own('d', 6)], [], 100)
    expect(headers).toEqual([own('a', 5), own('d', 6), ['redrive-dropped-headers', 'b, c']])
    expect(headersSize(headers)).toBeLessThanOrEqual(100)
  })

  it('show names that cannot be seen, and no more of them than fit', () => {
    const [, note] = fitHeaders([own('a', 5), ['\n'.repeat(400), 'x'.repeat(2000)]], [], 800)
    expect(note?.[1]).toMatch(/^(\\n){200,}\\?…$/)
  })

  it('shorten the description, then the stack trace, as long as that says anything', () => {
    const letter = [text('t', 't'.repeat(50)), stack('s', 's'.repeat(90))]
    expect(shown(fitHeaders([], letter, 150))).toBe('t:50 s:80')
    // 32 bytes are the least: the ellipsis takes three of them.
    expect(shown(fitHeaders([], letter, 59 + 9 + 32))).toBe('t:50 s:30')
    expect(shown(fitHeaders([], letter, 59 + 9 + 31))).toBe('t:50')
    expect(shown(fitHeaders([], [text('t', 'short'), stack('s', 's'.repeat(90))], 14))).toBe('t:5')
  })

  it('tell of earlier runs whole or not at all, and before nothing else', () => {
    const letter = [history('h', 'h'.repeat(50)), text('t', 't'.repeat(50)), stack('s', 's'.repeat(50))]
    expect(shown(fitHeaders([own('a', 5)], letter, 191))).toBe('a:5 h:50 t:50 s:50')
    expect(shown(fitHeaders([own('a', 5)], letter, 190))).toBe('a:5 t:50 s:50')
  })

  it('cut a fact that is endless', () => {
    expect(fact('f', 'f'.repeat(600))).toEqual({ name: 'f', value: `${'f'.repeat(509)}…`, role: 'fact' })
  })
})
