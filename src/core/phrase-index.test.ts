import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gap, phraseIndex, phraseLength } from './phrase-index.ts'

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

const inText: Search = (indexed, text) => phraseIndex(indexed)?.isQuotedIn(text) ?? false

test('finds a phrase exactly where a plain search does', () => {
  expect(disagreement(inText)).toBeNull()
})

test('planted bug: a search that jumps too far is found out', () => {
  const jumping: Search = (indexed, text) => phrasesOf(text, phraseLength).some((phrase) => plainly(indexed, phrase))
  expect(disagreement(jumping)).not.toBeNull()
})

const encoder = new TextEncoder()
const ascii = fc.string({ unit: fc.constantFrom('A', 'b', 'B', '-', '[', '{', ' ', '0'), maxLength: 30 })
/** The same in bytes and in whatever case; what is indexed is in capitals. */
const asciiPairs = fc
  .record({ indexed: ascii, at: fc.nat(30), length: fc.integer({ min: 4, max: 8 }), before: ascii, behind: ascii })
  .map(({ indexed, at, length, before, behind }) => {
    return [indexed.toUpperCase(), before + indexed.slice(at, at + length) + behind] as const
  })

function disagreementInBytes(search: (indexed: string, bytes: Uint8Array) => boolean): unknown {
  const agree = fc.property(asciiPairs, ([indexed, text]) => {
    return search(indexed, encoder.encode(text)) === inText(indexed, text.toUpperCase())
  })
  return fc.check(agree, { numRuns: 2000, seed: 1 }).counterexample
}

test('finds in bytes what it finds in the text that they are, in whatever letter case', () => {
  expect(disagreementInBytes((indexed, bytes) => phraseIndex(indexed)?.isQuotedInAscii(bytes) ?? false)).toBeNull()
})

test('planted bug: a search in bytes that minds the letter case is found out', () => {
  const decoder = new TextDecoder()
  expect(disagreementInBytes((indexed, bytes) => inText(indexed, decoder.decode(bytes)))).not.toBeNull()
})

test('indexes that are asked in turn know nothing of each other', () => {
  const [one, other] = [phraseIndex('NO SUCH CUSTOMER'), phraseIndex('ORDER REFUSED')]
  for (let turn = 0; turn < 3; turn++) {
    expect(one?.isQuotedIn('CUSTOMER')).toBe(true)
    expect(one?.isQuotedIn('REFUSED')).toBe(false)
    expect(other?.isQuotedInAscii(encoder.encode('Customer'))).toBe(false)
    expect(other?.isQuotedInAscii(encoder.encode('Refused'))).toBe(true)
  }
})

test('a quote at either end of a long text is found', () => {
  const phrases = phraseIndex('NO SUCH CUSTOMER')
  const filler = 'x'.repeat(10_000)
  for (const isQuotedIn of [phrases?.isQuotedIn, (text: string) => phrases?.isQuotedInAscii(encoder.encode(text))]) {
    expect(isQuotedIn?.(`CUSTOM${filler}`)).toBe(true)
    expect(isQuotedIn?.(`${filler}STOMER`)).toBe(true)
    expect(isQuotedIn?.(`${filler}STOME`)).toBe(false)
  }
})

test.each(['0', '9', 'A', 'Z', 'a', 'z', 'é', '世', '٣', '😀'])('six characters with %s among them are a phrase', (character) => {
  const phrase = `--${character}---`.slice(0, phraseLength)
  expect(phraseIndex(phrase)?.isQuotedIn(`(${phrase})`)).toBe(true)
})

test.each(['/', ':', '@', '[', '`', '{', ' ', '\u0080', '€', '\ue000'])(
  'six characters with %j and nothing else say nothing',
  (character) => {
    expect(phraseIndex(`--${character}---`)).toBeUndefined()
  },
)

test('a phrase ends before a gap and begins behind it', () => {
  expect(phraseIndex(`ABC${gap}DEF`)).toBeUndefined()
  expect(phraseIndex(`ABCDEF${gap}`)?.isQuotedIn('ABCDEF')).toBe(true)
  expect(phraseIndex(`${gap}ABCDEF`)?.isQuotedIn('ABCDEF')).toBe(true)
  expect(phraseIndex('A-----')?.isQuotedIn('A-----')).toBe(true)
  expect(phraseIndex('A------')?.isQuotedIn('------')).toBe(false)
})
