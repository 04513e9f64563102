import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isElsewhere, isSafeKey, readReference, writeReference } from './body-reference.ts'
import type { HeaderValue } from './message.ts'

const sha256 = 'ab'.repeat(32)
const reference = { key: '2026-11-15.0199-abc_D', bytes: 300_000, sha256 }
const headers = (value: HeaderValue): readonly (readonly [string, HeaderValue])[] => [['redrive-body', value]]

describe('a reference to a body', () => {
  it('reads as it was written, as text and as bytes', () => {
    const text = writeReference(reference)
    expect(readReference(headers(text))).toEqual(reference)
    expect(readReference(headers(new TextEncoder().encode(text)))).toEqual(reference)
  })

  it.each<[string, HeaderValue]>([
    ['a path', `v1 ../../etc/passwd 10 ${sha256}`],
    ['a path behind a day', `v1 2026-11-15.../../../etc/passwd 10 ${sha256}`],
    ['an absolute path', `v1 /etc/passwd 10 ${sha256}`],
    ['a path of another system', `v1 2026-11-15.a\\..\\b 10 ${sha256}`],
    ['an encoded path', `v1 2026-11-15.%2e%2e%2f 10 ${sha256}`],
    ['a URL', `v1 http://169.254.169.254/ 10 ${sha256}`],
    ['a zero byte', `v1 2026-11-15.a\0b 10 ${sha256}`],
    ['a name without a day', `v1 abc 10 ${sha256}`],
    ['an endless name', `v1 2026-11-15.${'a'.repeat(200)} 10 ${sha256}`],
    ['a negative size', `v1 ${reference.key} -1 ${sha256}`],
    ['a size beyond counting', `v1 ${reference.key} ${'9'.repeat(20)} ${sha256}`],
    ['no hash', `v1 ${reference.key} 10`],
    ['a short hash', `v1 ${reference.key} 10 abcd`],
    ['another version', `v2 ${reference.key} 10 ${sha256}`],
    ['something behind it', `${writeReference(reference)} more`],
    ['a line break behind it', `${writeReference(reference)}\n`],
    ['nothing', ''],
    ['null', null],
    ['a table', { key: 'x' }],
  ])('is none when it holds %s', (_, value) => {
    expect(readReference(headers(value))).toBeUndefined()
  })

  it('never has a key that means anything to a file system, whatever stands in the header', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        const read = readReference(headers(`v1 ${key} 1 ${sha256}`))
        expect(read === undefined || /^[\w.-]+$/.test(read.key)).toBe(true)
      }),
    )
  })

  it.each(['', '.', '..', '2026-11-15', '2026-11-15.', '2026-11-15./', '2026-11-15..', 'x2026-11-15.a'])(
    'is no key: %j',
    (key) => {
      expect(isSafeKey(key)).toBe(false)
    },
  )
})

describe('a body', () => {
  const text = writeReference(reference)
  it.each<[string, Parameters<typeof isElsewhere>[0], boolean]>([
    ['stands elsewhere where it is empty and has a reference', { body: new Uint8Array(), headers: headers(text) }, true],
    ['stands elsewhere where it is null and has a reference', { body: null, headers: headers(text) }, true],
    ['is here where it is here, whatever a header says', { body: new Uint8Array([1]), headers: headers(text) }, false],
    ['is empty where it is empty', { body: new Uint8Array(), headers: [['other', 'x']] }, false],
    ['is a tombstone where it is null', { body: null, headers: [] }, false],
  ])('%s', (_, message, expected) => {
    expect(isElsewhere(message)).toBe(expected)
  })
})
