import { describe, expect, it } from 'vitest'
import { bound, filled, growth } from '../growth.fixture.ts'
import { letter } from './filters.fixture.ts'
import { matches } from './matches-filter.ts'
import { parseFilter } from './parse-filter.ts'
import { matchesPattern } from './pattern.ts'

const now = Date.UTC(2026, 10, 16, 10)

describe('time grows with the length', () => {
  it.each([['(a+)+$'], ['^(([a-z])+.)+[A-Z]([a-z])+$'], ['*a*a*a*a*a*a*a*a*b'], ['a*'.repeat(60)]])(
    'of a text that %s is looked for in',
    (pattern) => {
      const filter = parseFilter(`reason:${pattern.includes('(') ? `"${pattern}"` : pattern} OR "a a a b"`)
      expect(
        growth((n) => () => matches(filter, letter({ reason: filled('a', n), texts: [filled('a ', n)] }), now)),
      ).toBeLessThan(bound)
    },
  )

  /** 1,024 and 4,096 characters, many times over, so that there is something to measure. */
  describe.each(['a', 'a ', '""', '*', ',', '\u0000', 'é', '\ud800'])('of a filter with %j again and again', (pattern) => {
    it.each([
      ['in quotes', (text: string) => `key:"${text}"`],
      ['in quotes that never close', (text: string) => `key:"${text}x`],
      ['as a value', (text: string) => `reason:${text}`],
      ['as text', (text: string) => `"${text}"`],
    ])('%s', (_, around) => {
      const reading = (text: string) => () => {
        for (let round = 0; round < 100; round++) attempt(text)
      }
      expect(growth((n) => reading(around(filled(pattern, n / 256 - 16))))).toBeLessThan(bound)
    })
  })

  /** Both grow: what is looked for is as long as half a filter, and stands nowhere. */
  const almost = (n: number): { readonly text: string; readonly piece: string } => {
    const half = filled('a', n / 1024)
    return { text: filled('a', n / 64), piece: `${half}b${half}` }
  }

  it('of a text and of the piece that is looked for, together', () => {
    expect(
      growth((n) => {
        const { text, piece } = almost(n)
        return () => matchesPattern(['', piece, ''], text)
      }),
    ).toBeLessThan(bound)
  })

  it('planted bug: a search that goes back is caught by the same bound', () => {
    expect(
      growth((n) => {
        const { text, piece } = almost(n)
        return () => goingBack(text, piece)
      }),
    ).toBeGreaterThan(bound)
  })

  it('planted bug: a matcher that starts over at every character is caught by the same bound', () => {
    const startingOver = (text: string) => () => /^.*a.*b$/.test(text)
    expect(growth((n) => startingOver(filled('a', n / 256)))).toBeGreaterThan(bound)
  })
})

function attempt(text: string): void {
  try {
    parseFilter(text)
  } catch {}
}

function goingBack(text: string, piece: string): boolean {
  for (let start = 0; start + piece.length <= text.length; start++) {
    let matched = 0
    while (matched < piece.length && text.charCodeAt(start + matched) === piece.charCodeAt(matched)) matched++
    if (matched === piece.length) return true
  }
  return false
}
