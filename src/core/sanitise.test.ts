import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HeaderValue } from './message.ts'
import type { Forbidden } from './quotes.ts'
import { safeErrorType, sanitise, sanitiseStack } from './sanitise.ts'

const nothing: Forbidden = { body: null, headers: [] }
const replacement = 'SomeError: [REDACTED - potentially sensitive data]'

function clean(text: string, forbidden: Forbidden = nothing): string {
  return sanitise(text, 'SomeError', forbidden)
}

const seed003 = [
  ['password', 'login failed, password=hunter2'],
  ['secret', 'the secret is out'],
  ['token', 'expired token abc'],
  ['api_key', 'bad api_key 123'],
  ['bearer', 'got Bearer abc'],
  ['credential', 'no such credential'],
  ['postgres://', 'cannot reach postgres://db/orders'],
  ['mongodb://', 'cannot reach mongodb://db/orders'],
  ['mysql://', 'cannot reach mysql://db/orders'],
  ['redis://', 'cannot reach redis://cache'],
  ['-----BEGIN', 'bad key -----BEGIN RSA'],
  ['private_key', 'no private_key given'],
] as const

describe('seed 003 sanitiser', () => {
  for (const [pattern, text] of seed003) {
    test(`seed 003 sanitiser: text with "${pattern}" is replaced whole`, () => {
      expect(clean(text)).toBe(replacement)
      expect(clean(text.toUpperCase())).toBe(replacement)
      expect(clean(`${'x'.repeat(500_000)}${text}`)).toBe(replacement)
      expect(clean(text.replaceAll(new RegExp(pattern, 'gi'), '...'))).not.toBe(replacement)
    })
  }

  test('seed 003 sanitiser: text without a sensitive pattern is kept', () => {
    expect(clean('Database connection timeout after 30s')).toBe('Database connection timeout after 30s')
  })

  test('seed 003 sanitiser: the replacement names the error type', () => {
    expect(sanitise('password', 'ConnectionError', nothing)).toBe('ConnectionError: [REDACTED - potentially sensitive data]')
  })
})

describe('what scanners for secrets look for is replaced', () => {
  // Written in two halves, so that no scanner takes this file for a leak.
  const secrets = [
    ['an AWS key', ['AKIA', 'IOSFODNN7EXAMPLE']],
    ['a temporary AWS key', ['ASIA', 'IOSFODNN7EXAMPLE']],
    ['a GitHub personal key', ['ghp_', 'abcdefghijklmnopqrstuvwxyz0123456789']],
    ['a GitHub OAuth key', ['gho_', 'abcdefghijklmnopqrstuvwxyz0123456789']],
    ['a fine-grained GitHub key', ['github_pat_', '11ABCDEFG0abcdefghij_klmno']],
    ['a GitLab key', ['glpat-', 'abcdefghij0123456789']],
    ['an npm key', ['npm_', 'abcdefghijklmnopqrstuvwxyz0123456789']],
    ['a Slack key', ['xoxb-', '123456789012-abcdef']],
    ['a Slack webhook', ['https://hooks.slack.com', '/services/T000/B000/XXXX']],
    ['a Google key', ['AIza', 'SyA1234567890abcdefghijklmnopqrstuv']],
    ['a Google access', ['ya29.', 'a0AfH6SMBabcdefghij']],
    ['a Stripe key', ['sk_live_', 'abcdefghijklmnop']],
    ['a restricted Stripe key', ['rk_live_', 'abcdefghijklmnop']],
    ['a Stripe webhook key', ['whsec_', 'abcdefghijklmnopqrst']],
    ['a key of a language model', ['sk-', 'abcdefghij0123456789abcdef']],
    ['a SendGrid key', ['SG.', 'abcdefghijklmnopqrstuv.wxyz']],
    ['a Vault lease', ['hvs.', 'CAESIabcdefghijklmnopqrstuv']],
    ['a JWT', ['eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl']],
    ['a torn JWT', ['eyJ', 'hbGciOiJI']],
    ['Basic credentials', ['Basic ', 'dXNlcjpwYXNz' + 'd29yZA==']],
    ['an Authorization header', ['Authorization', ': Digest x']],
    ['a cookie', ['Set-Cookie', ': sid=1']],
    ['credentials in an AMQP address', ['amqp://', 'user:pass@host']],
    ['a user in an address', ['https://', 'abc123@sentry.example']],
    ['credentials behind another address', ['["http://a","amqp://', 'u:p@h"]']],
    ['a key with a slash in an address', ['amqp://', 'user:pa/ss@host']],
    ['an Azure account key', ['AccountKey', '=abc']],
    ['an Azure shared key', ['SharedAccess', 'Key=abc']],
    ['an Azure signature', ['SharedAccess', 'Signature sr=x']],
    ['apikey', ['api', 'key: x']],
    ['api-key', ['api', '-key: x']],
    ['access_key', ['access', '_key x']],
    ['client_secret', ['client', '_secret x']],
    ['passwd', ['pass', 'wd x']],
    ['pwd=', ['pwd', '=x']],
    ['a card number', ['4111', '111111111111']],
    ['a card number with spaces', ['4111 1111', ' 1111 1111']],
    ['a card number with dashes', ['5500-0000', '-0000-0004']],
    ['a card number behind another number', ['order 12 4111 1111', ' 1111 1111 of 3']],
    ['a card number of 15 digits', ['3782 822463', ' 10005']],
    ['a social security number', ['078-05', '-1120']],
    ['an IBAN', ['DE89', '370400440532013000']],
    ['an IBAN with spaces', ['GB82 WEST', ' 1234 5698 7654 32']],
  ] as const
  for (const [name, halves] of secrets) {
    test(`text with ${name} is replaced whole`, () => expect(clean(`failed: ${halves.join('')} !`)).toBe(replacement))
  }
})

describe('what only looks like a secret is kept', () => {
  const harmless = [
    'card 4111 1111 1111 1112 is no card number',
    'offset 12345678901234567890123 is too long for a card number',
    'timestamp 1718000000000 begins like no card',
    'GB82 WEST 1234 5698 7654 33 has a wrong check',
    'the date 2024-01-15 is no person',
    'GET http://localhost:4873/@scope/package failed',
    'cannot reach https://example.com/a/@b',
    'mail to support@example.com',
    'pwd is /tmp',
  ]
  for (const text of harmless) test(text, () => expect(clean(text)).toBe(text))
})

describe('quotes', () => {
  const body = (text: string): Forbidden => ({ body: new TextEncoder().encode(text), headers: [] })

  test('six characters of the body are a quote and five are none', () => {
    expect(clean('no such user: alice1', body('{"user":"alice1"}'))).toBe(replacement)
    expect(clean('no such user: alice', body('{"u":"alice"}'))).toBe('no such user: alice')
  })

  test('the key and the values of headers may not be quoted either', () => {
    expect(clean('lane abcdef', { ...nothing, key: 'abcdef' })).toBe(replacement)
    expect(clean('lane abcdef', { ...nothing, key: new TextEncoder().encode('abcdef') })).toBe(replacement)
    expect(clean('for abcdef', { ...nothing, headers: [['x', 'abcdef']] })).toBe(replacement)
    expect(clean('for abcdef', { ...nothing, headers: [['x', { y: [1, { z: new TextEncoder().encode('abcdef') }] }]] })).toBe(
      replacement,
    )
    expect(clean('for 1234567', { ...nothing, headers: [['x', 1_234_567]] })).toBe(replacement)
  })

  test('the names of headers and the type of the message may be quoted', () => {
    const message: Forbidden = {
      ...body('{"type":"settlement.requested","by":"tenant-name"}'),
      headers: [['tenant-name', 'x']],
      type: 'settlement.requested',
    }
    expect(clean('no tenant-name on a settlement.requested', message)).toBe('no tenant-name on a settlement.requested')
    expect(clean('at settlement.requested","by"', message)).toBe(replacement)
  })

  test('a word that stands in the body by chance is a quote too, because nobody can tell', () => {
    expect(clean('the settlement failed', body('settlement'))).toBe(replacement)
  })

  test('what only spaces and signs have in common is no quote', () => {
    expect(clean('a ------------ b', body('c ------------ d'))).toBe('a ------------ b')
  })

  test("the words of an earlier letter's own headers may come again", () => {
    const again: Forbidden = { ...nothing, headers: [['redrive-description', 'the bank is closed']] }
    expect(clean('the bank is closed', again)).toBe('the bank is closed')
  })

  test('letter case and escapes of JSON do not hide a quote', () => {
    expect(clean('no MÜLLER here', body('{"n":"M\\u00fcller"}'))).toBe(replacement)
    expect(clean('no M\\u00fcller here', body('Müller'))).toBe(replacement)
    expect(clean('got {\\"a\\":\\"b\\"}', body('{"a":"b"}'))).toBe(replacement)
    expect(clean('got a\nb\nc\nd', body('{"x":"a\\nb\\nc\\nd"}'))).toBe(replacement)
  })

  test('bytes that were printed do not hide a quote', () => {
    const bytes = Buffer.from('{"name":"alice in chains"}')
    for (const start of [0, 1, 2])
      expect(clean(`got ${bytes.subarray(start).toString('base64')}`, { body: bytes, headers: [] })).toBe(replacement)
    expect(clean(`got ${bytes.toString('base64').slice(3)}`, { body: bytes, headers: [] })).toBe(replacement)
    expect(clean(`got ${bytes.toString('hex')}`, { body: bytes, headers: [] })).toBe(replacement)
    expect(clean('got <Buffer 22 61 6c 69 63 65 20 69 6e 20>', { body: bytes, headers: [] })).toBe(replacement)
    expect(clean(`got ${Uint8Array.from(bytes)}`, { body: bytes, headers: [] })).toBe(replacement)
  })

  test('a quote is found anywhere in a body of many chunks', () => {
    for (const at of [0, 65_533, 65_536, 65_540, 131_070, 200_000]) {
      const large = new Uint8Array(200_010).fill(0x2e)
      large.set(new TextEncoder().encode('abcdef'), at)
      expect(clean('see abcdef', { body: large, headers: [] })).toBe(replacement)
    }
    expect(clean('see abcdef', { body: new Uint8Array(200_010).fill(0x2e), headers: [] })).toBe('see abcdef')
  })

  test('what is cut off is no quote, and what is left is never one', () => {
    const long = `${'.'.repeat(1020)}abcdef`
    expect(clean(long, body('abcdef'))).toBe(`${'.'.repeat(1020)}abc…`)
  })

  test('any six characters of any body that hold a letter or a digit are found', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 200 })
    fc.assert(
      fc.property(text, fc.nat(), (whole, seed) => {
        const start = seed % (whole.length - 5)
        const quote = whole.slice(start, start + 6)
        fc.pre(/[\p{L}\p{N}]/u.test(quote) && quote.isWellFormed() && !quote.includes('\\') && !whole.includes('\\'))
        expect(clean(`- ${quote} -`, body(whole))).toBe(replacement)
      }),
    )
  })
})

describe('what leaves', () => {
  test('is at most 1,024 characters, cut between characters, with an ellipsis', () => {
    expect(clean('é'.repeat(1024))).toBe('é'.repeat(1024))
    expect(clean('é'.repeat(1025))).toBe(`${'é'.repeat(1023)}…`)
    expect(clean('😀'.repeat(1024))).toBe(`${'😀'.repeat(511)}…`)
  })

  test('shows control characters, colours, marks of direction and broken characters as escapes', () => {
    expect(clean('a\n\r\t\0b')).toBe('a\\n\\r\\t\\u0000b')
    expect(clean('\u001b[31mred\u009b')).toBe('\\u001b[31mred\\u009b')
    expect(clean('\u202eabc\u2066\u200b\u2028\ufeff')).toBe('\\u202eabc\\u2066\\u200b\\u2028\\ufeff')
    expect(clean('\ud800x\u{e0041}')).toBe('\\ud800x\\u{e0041}')
    expect(clean('\u0007'.repeat(1000)).length).toBe(1024)
  })

  test('names an error type only if it can be one', () => {
    for (const name of ['TypeError', 'java.lang.Error', 'Std::Error', '$a_1', 'InvalidTokenError'])
      expect(safeErrorType(name)).toBe(name)
    for (const name of ['', 'a b', 'a\n', 'é', 'x'.repeat(129), '4111111111111111', `AKIA${'IOSFODNN7EXAMPLE'}`]) {
      expect(safeErrorType(name)).toBe('Error')
    }
  })

  test('never throws and never shows what cannot be seen, whatever comes in', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array(), fc.integer(), fc.date({ noInvalidDate: false }))
    const headers = fc.array(fc.tuple(fc.string(), fc.oneof(value, fc.array(value), fc.dictionary(fc.string(), value))))
    const text = fc.string({ unit: 'binary', maxLength: 3000 })
    fc.assert(
      fc.property(text, text, fc.option(fc.uint8Array({ maxLength: 3000 })), headers, (message, errorType, body, some) => {
        const result = sanitise(message, errorType, { body, headers: some })
        expect(result.length).toBeLessThanOrEqual(1024)
        expect(result.isWellFormed()).toBe(true)
        expect(result).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
        expect(() => sanitiseStack({ errorType, message, stack: message }, { body, headers: some })).not.toThrow()
      }),
    )
  })

  test('ends on headers that hold themselves', () => {
    const list: HeaderValue[] = ['abcdef']
    list.push(list)
    expect(clean('nothing here', { ...nothing, headers: [['x', list]] })).toBe('nothing here')
    expect(clean('abcdef', { ...nothing, headers: [['x', list]] })).toBe(replacement)
  })
})

describe('stack traces', () => {
  const frames = '    at work (/app/src/token.ts:1:2)\n    at async file:///app/main.ts:3:4\n    at node:internal/x:5:6'
  const traced = (message: string, forbidden: Forbidden = nothing, stack = `SomeError: ${message}\n${frames}`): string =>
    sanitiseStack({ errorType: 'SomeError', message, stack }, forbidden)

  test('keep their frames and a harmless message', () => {
    expect(traced('it broke')).toBe(`SomeError: it broke\n${frames}`)
  })

  test('lose a message of several lines that quotes the body, and keep their frames', () => {
    const body = new TextEncoder().encode('alice lives here')
    expect(traced('it broke\nfor alice lives', { body, headers: [] })).toBe(`${replacement}\n${frames}`)
  })

  test('take no line of the message for a frame', () => {
    const body = new TextEncoder().encode('alice lives here')
    const message = 'it broke\n    at alice (/alice lives here:1:1)'
    expect(traced(message, { body, headers: [] })).toBe(`${replacement}\n${frames}`)
  })

  test('lose a line that is no frame and a frame that shows a secret', () => {
    const stack = `SomeError: x\n${frames}\n    at eval (/srv/${'AKIA'}IOSFODNN7EXAMPLE.ts:1:1)\nsome prose`
    expect(traced('x', nothing, stack)).toBe(`SomeError: x\n${frames}`)
  })

  test('are at most 8 KiB, even if they were 1 MB', () => {
    const stack = `SomeError: x\n${'    at work (/app/é/main.ts:1:2)\n'.repeat(33_000)}`
    expect(Buffer.byteLength(traced('x', nothing, stack))).toBeLessThanOrEqual(8192)
    expect(Buffer.byteLength(traced('x'.repeat(1_000_000)))).toBeLessThanOrEqual(8192)
  })
})
