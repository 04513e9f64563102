import { describe, expect, test } from 'vitest'
import { bound, filled, growth } from './growth.fixture.ts'
import type { Forbidden } from './quotes.ts'
import { sanitise } from './sanitise.ts'

const nothing: Forbidden = { body: null, headers: [] }

function sanitising(text: string, forbidden: Forbidden = nothing): () => unknown {
  return () => sanitise(text, 'E', forbidden)
}

describe('the time of sanitising grows no faster than a text of 1 MB', () => {
  const texts = {
    'digits without end': '2',
    'digits in groups that fail Luhn': '4111 1111 1111 1112 ',
    'single digits with spaces': '4 ',
    'beginnings of account numbers': 'DE89 ',
    'capitals and digits': 'AA11',
    'beginnings of a JWT': 'eyJ ',
    'beginnings of a JWT in a row': 'eyJeyJ.',
    'beginnings of a PEM block': '-----BEGI',
    'schemes in a row': '://',
    'users without a host': '://a:b',
    'at signs': '@',
    'schemes, then at signs far away': 'a://b:c d',
    'words that announce a secret, almost': 'passwor',
    'authorization with spaces': 'authorizatio n   ',
    'spaces behind a word': 'pwd ',
    'almost a key of AWS': 'AKIAIOSFODNN7EXAMPL-',
    'almost Basic credentials': 'Basic AAAAAAAAAAAA ',
    'almost a social security number': '123-45-678 ',
    backslashes: '\\',
    'escapes of JSON': '\\u0041',
  }
  for (const [name, pattern] of Object.entries(texts)) {
    test(name, () => {
      expect(growth((n) => sanitising(filled(pattern, n)))).toBeLessThan(bound)
    })
  }

  test('one scheme and a megabyte behind it', () => {
    expect(growth((n) => sanitising(`x://a:${filled('b', n)}`))).toBeLessThan(bound)
  })
})

describe('the time of sanitising grows no faster than a body of 1 MB', () => {
  const text = filled('abcde-fghij.klmno ', 1024)
  const bodies = {
    'the same letter': 'a',
    'all but the last character of a quote': 'abcde_',
    'beginnings of quotes in turn': 'abcde_fghij_klmno_',
    backslashes: '\\',
    'escapes of JSON': '\\u0041',
    'bytes that are no text': '\u0080',
  }
  for (const [name, pattern] of Object.entries(bodies)) {
    test(name, () => {
      const body = (n: number): Uint8Array => Buffer.from(filled(pattern, n), 'latin1')
      expect(growth((n) => sanitising(text, { body: body(n), headers: [] }))).toBeLessThan(bound)
    })
  }

  test('planted bug: a pattern that starts over at every character is caught by the same bound', () => {
    const startingOver = (text: string) => () => /eyJ[A-Za-z]+\./.test(text)
    expect(growth((n) => startingOver(filled('eyJ', n / 64)))).toBeGreaterThan(bound)
  })
})
