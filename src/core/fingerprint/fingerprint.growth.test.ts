import { describe, expect, test } from 'vitest'
import { bound, filled, growth } from '../growth.fixture.ts'
import { causeOf } from './fingerprint.ts'
import { placeholderRules } from './placeholders.ts'

const nothing = { body: null, headers: [] }

/** Every field holds the same hostile text: each is read by rules of its own. */
function grouping(text: string): () => unknown {
  const evidence = { reason: text, errorType: text, errorMessage: text, stack: text }
  return () => causeOf(evidence, text, nothing)
}

describe('the time of grouping grows no faster than texts of 1 MB', () => {
  const texts = {
    'words with dashes': 'a-',
    'beginnings of documents': '{"',
    'beginnings of paths': '/a.',
    'frames of .NET that never end': `   at ${'<a>b__'.repeat(200)}(\n`,
    'inner exceptions': ' ---> A: b\n',
  }
  for (const [name, pattern] of Object.entries(texts)) {
    test(name, () => {
      expect(growth((n) => grouping(filled(pattern, n)))).toBeLessThan(bound)
    })
  }
})

describe('what is looked at is bounded', () => {
  const cause = (errorMessage: string, stack = '', channel = 'q'): string =>
    causeOf({ errorType: 'E', errorMessage, stack }, channel, nothing).fingerprint

  test('of a text, a stack trace, one of its lines and a channel', () => {
    expect(cause(`${' '.repeat(8192)}a`)).toBe(cause(`${' '.repeat(8192)}b`))
    expect(cause(`${' '.repeat(8191)}a`)).not.toBe(cause(`${' '.repeat(8191)}b`))
    const frame = (name: string): string => `\tat com.acme.A.${name}(A.java:1)`
    expect(cause('', `${' '.repeat(262_144)}\n${frame('a')}`)).toBe(cause('', ''))
    expect(cause('', `${' '.repeat(262_000)}\n${frame('a')}`)).toBe(cause('', frame('a')))
    expect(cause('', `${'\n'.repeat(4000)}${frame('a')}`)).toBe(cause('', ''))
    expect(cause('', `${'\n'.repeat(3999)}${frame('a')}`)).toBe(cause('', frame('a')))
    expect(cause('', `${' '.repeat(2048)}${frame('a')}`)).toBe(cause('', ''))
    expect(cause('', '', `${'q'.repeat(128)}a`)).toBe(cause('', '', `${'q'.repeat(128)}b`))
  })

  test('in every rule, which never repeats anything without end', () => {
    for (const { pattern } of placeholderRules) expect(repeatsWithoutEnd(pattern), pattern.source).toBe(false)
  })

  test('planted bug: a rule that repeats without end is caught', () => {
    for (const pattern of [/a+/, /[^"]*"/, /a{3,}/, /(?:a|b)+/, /\\+/]) expect(repeatsWithoutEnd(pattern)).toBe(true)
    for (const pattern of [/a\+/, /[+*]/, /a{3,9}?/, /\*/]) expect(repeatsWithoutEnd(pattern)).toBe(false)
  })
})

/** Whether a quantifier without an upper bound is left once escapes and sets of characters are out of the way. */
function repeatsWithoutEnd({ source }: RegExp): boolean {
  return /[*+]|\{\d+,\}/.test(source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x'))
}
