import fc from 'fast-check'
import { expect, test } from 'vitest'
import { phraseLength } from './phrase-index.ts'
import { type Forbidden, quotes } from './quotes.ts'

const decoder = new TextDecoder()
/** Plain JSON, umlauts, what becomes two letters in capitals, and what is no UTF-8. Escapes are for the tests of sanitising. */
const pieces = ['name', 'Order ', '"x":', '--', 'Jörg', 'straße', '世界', [0x80], [0xc3], [0xef, 0xbb, 0xbf]] as const
const bodies = fc
  .array(fc.constantFrom(...pieces), { maxLength: 8 })
  .map((all) => Buffer.concat(all.map((piece) => Buffer.from(piece as string))))

type Ask = (text: string, forbidden: Forbidden) => boolean

/** The same question, asked in the plainest way. */
function plainly(text: string, body: Uint8Array): boolean {
  const [asked, forbidden] = [text.toUpperCase(), decoder.decode(body).toUpperCase()]
  for (let at = 0; at + phraseLength <= asked.length; at++) {
    const phrase = asked.slice(at, at + phraseLength)
    if (/[\p{L}\p{N}\p{Cs}]/u.test(phrase) && forbidden.includes(phrase)) return true
  }
  return false
}

function disagreement(ask: Ask): unknown {
  const agree = fc.property(bodies, bodies, fc.nat(20), fc.nat(10), (body, other, at, length) => {
    const text = `${decoder.decode(other)} ${decoder.decode(body).slice(at, at + length)}`
    return ask(text, { body, headers: [] }) === plainly(text, body)
  })
  return fc.check(agree, { numRuns: 3000, seed: 1 }).counterexample
}

test('a body is quoted exactly where a plain search says so, whatever its bytes are', () => {
  expect(disagreement(quotes)).toBeNull()
})

test('planted bug: reading every body as ASCII is found out', () => {
  const asAscii: Ask = (text, { body }) => plainly(text, Buffer.from(Buffer.from(body ?? []).toString('ascii')))
  expect(disagreement(asAscii)).not.toBeNull()
})

const ofJane = { body: Buffer.from('{"customer":"Jane Doe"}'), headers: [] }
const ofJohn = { body: Buffer.from('{"customer":"John Roe"}'), headers: [] }

/** Each message beside a text that quotes it and one that does not, in every order. */
function wrongAnswers(ask: Ask): number {
  const asked = [
    { text: 'no credit for Jane Doe', forbidden: ofJane, answer: true },
    { text: 'no credit for Jane Doe', forbidden: ofJohn, answer: false },
    { text: 'no credit for John Roe', forbidden: ofJohn, answer: true },
    { text: 'no credit for John Roe', forbidden: ofJane, answer: false },
  ]
  const inTurn = asked.flatMap((one) => asked.flatMap((other) => [one, other]))
  return inTurn.filter(({ text, forbidden, answer }) => ask(text, forbidden) !== answer).length
}

test('what was said about one message and one text is said about no other', () => {
  expect(wrongAnswers(quotes)).toBe(0)
})

test.each([
  ['message', (_text: string, forbidden: Forbidden) => forbidden],
  ['text', (text: string) => text],
])('planted bug: an answer that is remembered by its %s alone is found out', (_name, keyOf) => {
  const known = new Map<unknown, boolean>()
  const remembering: Ask = (text, forbidden) => {
    const key = keyOf(text, forbidden)
    const answer = known.get(key) ?? quotes(text, forbidden)
    known.set(key, answer)
    return answer
  }
  expect(wrongAnswers(remembering)).toBeGreaterThan(0)
})
