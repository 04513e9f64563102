import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Content } from '../../api/letters.ts'
import { draftOf, headersOf, jsonMistake, sentBody } from './draft.model.ts'
import { findJsonMistake } from './json-mistake.model.ts'
import { spanOf } from './json-place.model.ts'
import { placedMistakes } from './schema.model.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a mistake in JSON', () => {
  test('is found exactly where JSON.parse refuses, whatever is written', () => {
    const nearly = fc.json().chain((text) =>
      fc.tuple(fc.nat(text.length), fc.constantFrom('', ',', '"', '{', ']', ':', '\\', '0', '\n', 'x')).map(([at, extra]) => {
        return text.slice(0, at) + extra + text.slice(at + (extra === '' ? 1 : 0))
      }),
    )
    const texts = fc.oneof(
      fc.json(),
      nearly,
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'{}[]",:0-.e1 \\ntrue'.split('')) }),
    )
    fc.assert(
      fc.property(texts, (text) => (findJsonMistake(text) === undefined) === isJson(text)),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['{"a": 1,}', 8, 'A name in quotes is expected here.'],
    ['{"a" 1}', 5, 'A colon is expected here.'],
    ['[1 2]', 3, 'A comma or ] is expected here.'],
    ['{"a": nope}', 6, 'A value is expected here.'],
    ['{"a": 1', 7, 'The text ends where A comma or } is expected.'],
    ['{"a": "b}', 6, 'This text in quotes has no end.'],
    ['{} x', 3, 'The value has ended before this.'],
    ['"\\q"', 1, 'No such sign stands behind a backslash.'],
    ['"a\nb"', 2, 'A line break or control character must be written as \\n, \\t or \\u….'],
    ['', 0, 'The text ends where A value is expected.'],
  ])('in %j is at %i', (text, at, told) => {
    expect(findJsonMistake(text)).toEqual({ at, text: told })
  })

  test('names its line, which people count from 1', () => {
    expect(jsonMistake('{\n  "a": 1,\n}')).toBe('Line 3: A name in quotes is expected here.')
    expect(jsonMistake('{\n  "a": 1\n}')).toBeUndefined()
  })

  test('does not need more stack than there is', () => {
    expect(findJsonMistake('['.repeat(100_000))).toMatchObject({ text: 'This is too deep to be checked here.' })
  })
})

/** Every value within one, with its pointer and its name. */
function* valuesIn(
  value: unknown,
  pointer = '',
  name?: string,
): Generator<readonly [pointer: string, value: unknown, name?: string]> {
  yield name === undefined ? [pointer, value] : [pointer, value, name]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const step = key.replaceAll('~', '~0').replaceAll('/', '~1')
    yield* Array.isArray(value) ? valuesIn(inner, `${pointer}/${key}`) : valuesIn(inner, `${pointer}/${step}`, key)
  }
}

describe('a pointer into JSON', () => {
  test('leads to the piece of the text that is that value with its name, whatever is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        for (const [pointer, wanted, name] of valuesIn(JSON.parse(text))) {
          const span = spanOf(text, pointer)
          const piece = text.slice(span?.from, span?.to)
          const found: unknown = name === undefined ? JSON.parse(piece) : JSON.parse(`{${piece}}`)
          expect(found).toEqual(name === undefined ? wanted : { [name]: wanted })
        }
      }),
      { numRuns: 300 },
    )
  })

  test('leads nowhere where there is no such value', () => {
    expect(spanOf('{"a": [1]}', '/a/1')).toBeUndefined()
    expect(spanOf('{"a": [1]}', '/b')).toBeUndefined()
  })

  test('needs no more stack than there is', () => {
    expect(spanOf('['.repeat(100_000) + ']'.repeat(100_000), '/0/0')).toEqual({ from: 2, to: 199_998 })
  })
})

describe('what a schema does not allow', () => {
  test('is said once for each value, in the order of the text', () => {
    const text = '{\n  "order": "1",\n  "country": 2\n}'
    const mistake = (at: string, told: string) => ({ at, rule: '#', text: told })
    expect(
      placedMistakes(text, [
        mistake('/country', 'must be string'),
        mistake('/country', 'must match pattern "^[A-Z]{2}$"'),
        mistake('/order', 'must be integer'),
      ]),
    ).toEqual([
      { span: { from: 4, to: 16 }, text: 'The schema says: must be integer.' },
      { span: { from: 20, to: 32 }, text: 'The schema says: must be string, must match pattern "^[A-Z]{2}$".' },
    ])
  })
})

describe('a draft', () => {
  const content = (body: Content['body'], headers: Content['headers'] = []): Content =>
    ({ body, headers, contentType: null }) as Content

  test('is JSON in lines, with its numbers as they were written', () => {
    const text = '{"id":12345678901234567890,"price":1.0}'
    expect(draftOf(content({ kind: 'text', text, isCut: false }))).toMatchObject({
      body: '{\n  "id": 12345678901234567890,\n  "price": 1.0\n}',
    })
  })

  test('is the text as it was written where a name stands twice in a mapping, because one of them would be lost', () => {
    const text = '{"tags": [{"to": 1, "t\\u006f": 2}], "to": 3}'
    expect(draftOf(content({ kind: 'text', text, isCut: false }))).toMatchObject({ body: text })
    const same = '[{"to": 1}, {"to": 2, "from": {"to": "to"}}]'
    expect(draftOf(content({ kind: 'text', text: same, isCut: false }))).toMatchObject({
      body: JSON.stringify(JSON.parse(same), null, 2),
    })
  })

  test.each(['\n', '\r\n', '\r'])('is sent with its lines ending as they did, with %j', (end) => {
    const draft = draftOf(content({ kind: 'text', text: `MSH|1${end}PID|2${end}`, isCut: false }))
    if ('cannot' in draft) throw new Error(draft.cannot)
    expect(draft.body).toBe('MSH|1\nPID|2\n')
    expect(sentBody({ ...draft, body: 'MSH|1\nPID|3\n' })).toBe(`MSH|1${end}PID|3${end}`)
  })

  test('is nothing for a text whose lines end in several ways, because they would all end alike', () => {
    expect(draftOf(content({ kind: 'text', text: 'one\r\ntwo\nthree', isCut: false }))).toEqual({
      cannot: 'Its lines end in several ways, which would be made one.',
    })
  })

  test('is nothing for bytes and for what was cut, because the rest would be lost', () => {
    expect(draftOf(content({ kind: 'text', text: 'x', isCut: true }))).toEqual({ cannot: 'It is too long for a page.' })
    expect(draftOf(content({ kind: 'bytes', base64: '', isCut: false }))).toEqual({ cannot: 'It is no text.' })
  })

  test('gives headers back as they came, strings and others', () => {
    const headers: Content['headers'] = [
      ['tenant', 'acme'],
      ['tries', 3],
      ['tags', ['a', null]],
    ]
    const draft = draftOf(content({ kind: 'text', text: 'x', isCut: false }, headers))
    if ('cannot' in draft) throw new Error(draft.cannot)
    expect(headersOf(draft.headers)).toEqual(headers)
  })

  test('says which header is wrong', () => {
    expect(headersOf([{ name: '', value: 'x', isJson: false }])).toEqual({ mistake: 'A header has no name.' })
    expect(headersOf([{ name: 'n', value: '{', isJson: true }])).toEqual({ mistake: 'The value of n is no JSON.' })
  })
})
