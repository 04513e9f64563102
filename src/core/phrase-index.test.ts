import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gap, phraseLength, phraseTest } from './phrase-index.ts'

type Search = (indexed: string, text: string) => boolean

const texts = fc.string({ unit: fc.constantFrom('A', 'B', '-', 'É', gap), maxLength: 30 })

/** A text, and another one that quotes about a phrase of it: sometimes less, sometimes more. */
const pairs = fc
  .record({ indexed: texts, at: fc.nat(30), length: fc.integer({ min: 4, max: 8 }), before: texts, behind: texts })
  .map(({ indexed, at, length, before, behind }) => [indexed, before + indexed.slice(at, at + length) + behind] as const)

function phrasesOf(text: string, step = 1): readonly string[] {
  const phrases: string[] = []
  for (let at = 0; at + phraseLength <= text.length; at += step) phrases.push(text.slice(at, at + phraseLength))
  return phrases
}

/** The same question, asked in the plainest way. */
const plainly: Search = (indexed, text) =>
  phrasesOf(indexed).some((phrase) => !phrase.includes(gap) && /[ABÉ]/.test(phrase) && text.includes(phrase))

function disagreement(search: Search): unknown {
  const agree = fc.property(pairs, ([indexed, text]) => search(indexed, text) === plainly(indexed, text))
  return fc.check(agree, { numRuns: 2000, seed: 1 }).counterexample
}

test('finds a phrase exactly where a plain search does', () => {
  expect(disagreement((indexed, text) => phraseTest(indexed)?.(text) ?? false)).toBeNull()
})

test('planted bug: a search that jumps too far is found out', () => {
  const jumping: Search = (indexed, text) => phrasesOf(text, phraseLength).some((phrase) => plainly(indexed, phrase))
  expect(disagreement(jumping)).not.toBeNull()
})

test('a quote at either end of a long text is found', () => {
  const holds = phraseTest('NO SUCH CUSTOMER')
  const filler = 'x'.repeat(10_000)
  expect(holds?.(`CUSTOM${filler}`)).toBe(true)
  expect(holds?.(`${filler}STOMER`)).toBe(true)
  expect(holds?.(`${filler}STOME`)).toBe(false)
})

test.each(['0', '9', 'A', 'Z', 'a', 'z', 'é', '世', '٣', '😀'])('six characters with %s among them are a phrase', (character) => {
  const phrase = `--${character}---`.slice(0, phraseLength)
  expect(phraseTest(phrase)?.(`(${phrase})`)).toBe(true)
})

test.each(['/', ':', '@', '[', '`', '{', ' ', '\u0080', '€', '\ue000'])(
  'six characters with %j and nothing else say nothing',
  (character) => {
    expect(phraseTest(`--${character}---`)).toBeUndefined()
  },
)

test('a phrase ends before a gap and begins behind it', () => {
  expect(phraseTest(`ABC${gap}DEF`)).toBeUndefined()
  expect(phraseTest(`ABCDEF${gap}`)?.('ABCDEF')).toBe(true)
  expect(phraseTest(`${gap}ABCDEF`)?.('ABCDEF')).toBe(true)
  expect(phraseTest('A-----')?.('A-----')).toBe(true)
  expect(phraseTest('A------')?.('------')).toBe(false)
})
