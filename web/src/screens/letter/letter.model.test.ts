import { describe, expect, test } from 'vitest'
import { parseFilter } from '../../../../src/core/filter/parse-filter.ts'
import type { Letter, LetterDetail } from '../../api/letters.ts'
import { distribution } from '../cause/distribution.model.ts'
import { failureText } from '../letters/failure.model.ts'
import { causeFilter, quoted } from '../letters/filter.model.ts'
import { formatted, hexDump, shownBody, viewsOf } from './body.model.ts'
import { headerText } from './header.model.ts'
import { momentsOf } from './timeline.model.ts'
import { xmlLines } from './xml-lines.model.ts'

describe('a body', () => {
  test('is offered in the ways that it can be seen', () => {
    expect(viewsOf({ kind: 'text', text: '{"a":1}', isCut: false })).toEqual(['formatted', 'text', 'hex'])
    expect(viewsOf({ kind: 'text', text: 'hello', isCut: false })).toEqual(['text', 'hex'])
    expect(viewsOf({ kind: 'bytes', base64: '', isCut: false })).toEqual(['hex'])
  })

  test('is JSON in lines with its numbers as they were written, and nothing that is no JSON', () => {
    expect(formatted('{"a":1.0}')).toBe('{\n  "a": 1.0\n}')
    expect([formatted('1'), formatted('{'), formatted('hello')]).toEqual([undefined, undefined, undefined])
  })

  test('is shown with what cannot be seen written out, and says when it is cut', () => {
    expect(shownBody({ kind: 'text', text: 'a\u202eb', isCut: false }, 'text')).toEqual({ text: 'a\\u202eb', isCut: false })
    const long = shownBody({ kind: 'text', text: 'x'.repeat(300_000), isCut: false }, 'text')
    expect([long.text.length, long.isCut]).toEqual([256 * 1024, true])
  })

  test('is dumped with offsets, and tells how much is left', () => {
    expect(hexDump(new TextEncoder().encode('Redrive\n'))).toMatch(/^00000000 {2}52 65 64 72 69 76 65 0a +Redrive·$/)
    expect(hexDump(new Uint8Array(16 * 1024 + 5))).toMatch(/… 5 bytes more$/)
    expect(shownBody({ kind: 'bytes', base64: btoa('\u0000A'), isCut: false }, 'hex').text).toContain('00 41')
  })
})

describe('what is known of a letter', () => {
  test('is why it died, in one line, from the best that is known', () => {
    const failure = { errorType: 'TypeError', errorMessage: 'x is\nnull', reason: 'PoisonMessage' }
    expect(failureText(failure)).toBe('TypeError: x is\\nnull')
    expect(failureText({ ...failure, errorType: null, errorMessage: '' })).toBe('PoisonMessage')
    expect(failureText({ errorType: null, errorMessage: null, reason: null })).toBe('No reason is known')
  })

  test('is what happened to it, the newest first', () => {
    const letter = {
      failedAt: 1,
      receivedAt: 2,
      attempts: 3,
      service: 'shop',
      version: '1.0',
      errorType: 'E',
      errorMessage: 'm',
      reason: null,
    }
    const replay = { at: 9, replay: 4, state: 'returned', destination: { channel: 'orders' }, problem: 'died again' }
    const detail = {
      letter,
      failedRuns: [],
      edits: [{ madeAt: 5, actor: 'ana', id: 8 }],
      notes: [{ madeAt: 6, actor: 'otto' }],
      replays: [replay],
    }
    expect(momentsOf(detail as unknown as LetterDetail).map(({ text }) => text)).toEqual([
      'Replay 4 to orders: returned (died again)',
      'Note by otto',
      'Edited by ana (edit 8)',
      'Kept in the vault',
      'Given up at attempt 3 by shop 1.0: E: m',
    ])
  })

  test('is also what each run failed with, and how many of them nobody wrote down', () => {
    const run = (attempt: number, at: number) => ({ attempt, at, errorType: 'E', description: `at ${at}` })
    const letter = { failedAt: 90, receivedAt: 95, attempts: 9, service: null, version: null, errorType: 'E', errorMessage: 'm' }
    const failedRuns = [run(1, 10), run(1, 11), run(2, 20), run(8, 80), run(9, 90)]
    const told = (runs: readonly object[]): readonly string[] =>
      momentsOf({ letter, failedRuns: runs, edits: [], notes: [], replays: [] } as unknown as LetterDetail).map(
        ({ text }) => text,
      )
    expect(told(failedRuns)).toEqual([
      'Kept in the vault',
      'Given up at attempt 9: E: m',
      'Attempt 8 failed: E: at 80',
      'Not written down: 5 earlier attempts',
      'Attempt 2 failed: E: at 20',
      'Attempt 1 failed: E: at 11',
      'Attempt 1 failed: E: at 10',
    ])
    expect(told([run(9, 89), run(9, 90)]).slice(-2)).toEqual([
      'Attempt 9 failed: E: at 89',
      'Not written down: 8 earlier attempts',
    ])
  })

  test('is a header in one line, however long and of whatever type', () => {
    expect([headerText('a\nb'), headerText({ a: [1] })]).toEqual(['a\\nb', '{"a":[1]}'])
    expect(headerText('x'.repeat(3000))).toMatch(/^x{2000}… \(3000 characters\)$/)
  })

  test('is how letters spread, the rest added up, and those without a value counted too', () => {
    const letters = ['a', 'a', 'a', 'b', 'b', null, 'c', 'd'].map((version) => ({ version }) as Letter)
    expect(distribution(letters, ({ version }) => version, 3)).toEqual([
      { value: 'a', letters: 3 },
      { value: 'b', letters: 2 },
      { value: '(none)', letters: 1 },
      { value: '2 others', letters: 2 },
    ])
  })
})

describe('a value of a filter', () => {
  test('is read back as it was, whatever it holds', () => {
    for (const value of ['orders', 'a b', 'say "hi"', '-x', 'a,b', '*', 'a:b', '(x)', 'ü']) {
      expect(parseFilter(`channel:${quoted(value)}`), value).toEqual({ kind: 'names', field: 'channel', patterns: [[value]] })
    }
  })

  test('of a cause is its fingerprint without a version', () => {
    expect([causeFilter('v1:3f2a'), causeFilter('3f2a')]).toEqual(['cause:3f2a', 'cause:3f2a'])
  })
})

describe('XML', () => {
  test('stands in lines, with texts and empty elements beside their tags', () => {
    const text = '<?xml version="1.0"?><order id="1 > 0"><!-- a <b> --><to><country>DE</country><gift></gift></to><paid/></order>'
    expect(xmlLines(text)).toBe(
      [
        '<?xml version="1.0"?>',
        '<order id="1 > 0">',
        '  <!-- a <b> -->',
        '  <to>',
        '    <country>DE</country>',
        '    <gift></gift>',
        '  </to>',
        '  <paid/>',
        '</order>',
      ].join('\n'),
    )
  })

  test.each(['<p>one<p>two', '<a></b>', '</a>', 'text', '{"a": "<b>"}', '<a'])('%s is none', (text) => {
    expect(xmlLines(text)).toBeUndefined()
  })

  test('is shown so, and edited as it was written', () => {
    const body = { kind: 'text', text: '<a><b>1</b></a>', isCut: false } as const
    expect(viewsOf(body)).toEqual(['formatted', 'text', 'hex'])
    expect(shownBody(body, 'formatted').text).toBe('<a>\n  <b>1</b>\n</a>')
    expect(formatted(body.text)).toBeUndefined()
  })

  test('of any text is found out in a time that grows with its length', () => {
    for (const text of ['<a '.repeat(50_000), '<!--'.repeat(50_000), '<a "'.repeat(50_000)])
      expect(xmlLines(text)).toBeUndefined()
  })
})
