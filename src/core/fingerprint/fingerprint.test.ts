import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Forbidden } from '../quotes.ts'
import { type Cause, causeOf, type Evidence } from './fingerprint.ts'

const nothing: Forbidden = { body: null, headers: [] }
const evidence: Evidence = {
  errorType: 'NotFoundError',
  errorMessage: 'Customer 4711 not found',
  stack:
    'NotFoundError: Customer 4711 not found\n    at requireCustomer (/app/src/orders/customer.ts:12:11)\n    at run (/app/node_modules/x/y.js:1:1)',
}

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))

function cause(changes: Evidence = {}, channel = 'orders', forbidden = nothing): Cause {
  return causeOf({ ...evidence, ...changes }, channel, forbidden)
}

function sameCause(one: Evidence, other: Evidence): boolean {
  return cause(one).fingerprint === cause(other).fingerprint
}

describe('a cause', () => {
  test('has a fingerprint that never changes within a version, a title, and the reasons of the grouping', () => {
    expect(cause()).toStrictEqual({
      fingerprint: 'v1:f9b96184803ce69772c3c25e22bce739',
      title: 'NotFoundError: Customer <number> not found in requireCustomer',
      parts: {
        groupedBy: ['type', 'text', 'place', 'channel'],
        type: 'NotFoundError',
        text: 'Customer <number> not found',
        replaced: [{ kind: 'number', count: 1 }],
        place: { function: 'requireCustomer', module: 'orders/customer' },
        channel: 'orders',
      },
    })
  })

  test('is the same for another customer, after a deploy that moved lines, and from another folder', () => {
    const stack = 'NotFoundError: x\n    at async requireCustomer (file:///srv/2/dist/orders/customer.js:99:1)'
    expect(sameCause({}, { errorMessage: 'Customer 1f0c9a3e-6d1b-4d6f-9c55-0e2b6a7a8d11 not found', stack })).toBe(true)
  })

  test.each([
    ['type', { errorType: 'GoneError' }],
    ['text', { errorMessage: 'Supplier 4711 not found' }],
    ['function', { stack: '    at other (/app/src/orders/customer.ts:12:11)' }],
    ['module', { stack: '    at requireCustomer (/app/src/billing/customer.ts:12:11)' }],
  ])('is another one with another %s', (_, changes) => {
    expect(sameCause({}, changes)).toBe(false)
  })

  test('is another one on another channel', () => {
    expect(cause({}, 'returns').fingerprint).not.toBe(cause({}, 'orders').fingerprint)
  })

  test('does not run its parts together', () => {
    expect(
      sameCause({ errorType: 'A', errorMessage: 'B C' }, { errorType: 'A', errorMessage: 'B', stack: '    at C (/x/y.js:1:1)' }),
    ).toBe(false)
  })
})

describe('the type', () => {
  test.each([
    ['com.acme.OutOfStock', 'OutOfStock'],
    ['Acme.Outer+Inner', 'Inner'],
    ['*fmt.wrapError', 'wrapError'],
    ['std::runtime_error', 'runtime_error'],
    ['System.Collections.Generic.List`1[System.Int32]', 'List'],
    ['SqlException (0x80131904)', 'SqlException'],
    [' TypeError ', 'TypeError'],
    ['has spaces in it', 'Error'],
    ['', 'Error'],
    ['.', 'Error'],
    [`AKIA${'IOSFODNN7EXAMPLE'}`, 'Error'],
    ['x'.repeat(200), 'Error'],
  ])('of %j is %s', (errorType, type) => {
    expect(cause({ errorType }).parts.type).toBe(type)
  })

  test('is taken from the stack trace, then from the reason, where nobody says it', () => {
    expect(causeOf({ stack: 'A.B: c\n    at f (/x/y.js:1:1)' }, 'q', nothing).parts).toMatchObject({ type: 'B', text: 'c' })
    expect(causeOf({ reason: 'MaxDeliveryCountExceeded' }, 'q', nothing)).toMatchObject({ title: 'MaxDeliveryCountExceeded' })
    expect(causeOf({}, 'q', nothing).parts).toStrictEqual({
      groupedBy: ['type', 'text', 'channel'],
      type: 'Error',
      text: '',
      replaced: [],
      channel: 'q',
    })
  })
})

describe('an error that carries another', () => {
  const java = (cause: string): Evidence => ({
    errorType: 'com.acme.Wrapper',
    errorMessage: 'listener failed for 12',
    stack: `com.acme.Wrapper: listener failed for 12\n\tat com.acme.A.one(A.java:1)\nCaused by: ${cause}\n\tat org.apache.B.two(B.java:2)\n\t... 9 more`,
  })

  test('is grouped by the innermost, at the nearest place of the application', () => {
    expect(cause(java('java.net.ConnectException: Connection refused'))).toMatchObject({
      title: 'ConnectException: Connection refused in one',
      parts: { type: 'ConnectException', place: { function: 'one', module: 'com.acme.A' } },
    })
  })

  test('is another cause with another error inside', () => {
    expect(sameCause(java('java.net.ConnectException: Connection refused'), java('java.net.ConnectException: timed out'))).toBe(
      false,
    )
  })

  test('keeps its own type where what it carries has none', () => {
    expect(cause(java('something unspeakable!')).parts).toMatchObject({ type: 'Wrapper', text: 'listener failed for <number>' })
  })

  test('may carry it in its text, as Spring does', () => {
    const errorMessage = 'Listener failed; nested exception is a.B: c; nested exception is a.TaxRateMissing: no rate for 12'
    expect(cause({ errorMessage }).parts).toMatchObject({ type: 'TaxRateMissing', text: 'no rate for <number>' })
    expect(cause({ errorMessage: 'x; nested exception is ???' }).parts).toMatchObject({ type: 'NotFoundError' })
  })
})

describe('errors of the runtime', () => {
  const stack = '\tat com.acme.A.one(A.java:1)'

  test.each([
    'NullPointerException',
    'NullReferenceException',
    'ClassCastException',
    'InvalidCastException',
    'ArrayIndexOutOfBoundsException',
    'IndexOutOfBoundsException',
    'IndexOutOfRangeException',
    'ArgumentOutOfRangeException',
    'TypeError',
    'SyntaxError',
    'UnicodeDecodeError',
    'UnicodeEncodeError',
    'RecursionError',
    'StackOverflowError',
    'StackOverflowException',
    'TypeAssertionError',
    'boundsError',
  ])('are grouped by place whatever they say: %s', (errorType) => {
    expect(sameCause({ errorType, errorMessage: 'this', stack }, { errorType, errorMessage: 'that', stack })).toBe(true)
    expect(cause({ errorType, errorMessage: 'this', stack }).parts).toMatchObject({
      groupedBy: ['type', 'place', 'channel'],
      text: 'this',
    })
  })

  test('are grouped by what they say where no place is known', () => {
    const at = (errorMessage: string): Evidence => ({ errorType: 'TypeError', errorMessage, stack: '' })
    expect(sameCause(at('this'), at('that'))).toBe(false)
    expect(cause(at('this')).parts.groupedBy).toEqual(['type', 'text', 'channel'])
  })
})

describe('the title', () => {
  test.each([
    [{ errorMessage: '' }, 'NotFoundError in requireCustomer'],
    [{ stack: '' }, 'NotFoundError: Customer <number> not found'],
    [{ stack: '    at /app/src/worker.js:1:1' }, 'NotFoundError: Customer <number> not found in worker'],
    [{ errorMessage: 'NotFoundError: twice' }, 'NotFoundError: twice in requireCustomer'],
  ])('of %j', (changes, title) => {
    expect(cause(changes).title).toBe(title)
  })

  test('is at most 200 characters, and a text at most 400', () => {
    const long = cause({ errorMessage: 'word '.repeat(200) })
    expect(long.title).toHaveLength(200)
    expect(long.parts.text).toHaveLength(400)
    expect(cause({}, 'q'.repeat(1000)).parts.channel).toHaveLength(128)
  })

  test('shows what cannot be seen, of channels and functions too', () => {
    expect(cause({ errorMessage: 'a\u202eb' }, 'q\u0007').parts).toMatchObject({ text: 'a\\u202eb', channel: 'q\\u0007' })
  })
})

describe('a cause reveals no payload', () => {
  const redacted = 'NotFoundError: [REDACTED - potentially sensitive data]'
  const body = new TextEncoder().encode('{"name":"alice","street":"Main Street","order":"4711-0815"}')

  test('a text that quotes it is replaced whole', () => {
    expect(cause({ errorMessage: 'alice has no address' }, 'orders', { body, headers: [] }).parts.text).toBe(
      'alice has no address',
    )
    expect(cause({ errorMessage: 'Main Street is closed' }, 'orders', { body, headers: [] })).toMatchObject({
      title: `${redacted} in requireCustomer`,
      parts: { text: redacted },
    })
  })

  test('and all such texts are one cause, so that the fingerprint tells nothing either', () => {
    const of = (errorMessage: string): string => cause({ errorMessage }, 'orders', { body, headers: [] }).fingerprint
    expect(of('Main Street is closed')).toBe(of('the street called Main Street'))
  })

  test('an id that only stands for a value is a placeholder, and no reason to hide the rest', () => {
    expect(cause({ errorMessage: 'order 4711-0815 is closed' }, 'orders', { body, headers: [] }).parts.text).toBe(
      'order <id> is closed',
    )
  })

  test('a secret in a text or a place is never shown', () => {
    expect(cause({ errorMessage: 'password=hunter' }).parts.text).toBe(redacted)
    expect(cause({ stack: `    at AKIA${'IOSFODNN7EXAMPLE'} (/app/src/a/b.ts:1:1)` }).parts.place).toEqual({
      function: '',
      module: 'a/b',
    })
    expect(cause({ stack: `    at AKIA${'IOSFODNN7EXAMPLE'} (/x/AKIA${'IOSFODNN7EXAMPLE'}.ts:1:1)` }).parts).not.toHaveProperty(
      'place',
    )
  })

  test('a text inside a stack trace is held to the same', () => {
    const stack = 'A: b\n\tat com.acme.A.one(A.java:1)\nCaused by: x.Y: Main Street is closed\n\t... 1 more'
    expect(cause({ stack }, 'orders', { body, headers: [] }).parts.text).toBe('Y: [REDACTED - potentially sensitive data]')
  })

  const revealed = (group: typeof causeOf): boolean => {
    const words = fc.array(fc.constantFrom('alpha', 'bravo', 'charlie', 'delta', 'echo'), { minLength: 3, maxLength: 8 })
    const payload = words.map((some) => some.join(' '))
    const { failed } = fc.check(
      fc.property(payload, fc.nat(20), (secret, from) => {
        const quote = secret.slice(from, from + 10)
        fc.pre(quote.length >= 6)
        const evidence = {
          errorType: 'E',
          errorMessage: `at: ${quote}`,
          stack: `x\nCaused by: Y: got ${quote}\n\tat a.B.c(B.java:1)`,
        }
        const { title, parts } = group(evidence, 'q', { body: new TextEncoder().encode(secret), headers: [] })
        return !`${title}${JSON.stringify(parts)}`.includes(quote)
      }),
    )
    return failed
  }

  test('whatever the payload is', () => {
    expect(revealed(causeOf)).toBe(false)
  })

  test('planted bug: grouping that forgets the payload is caught', () => {
    expect(revealed((evidence, channel) => causeOf(evidence, channel, nothing))).toBe(true)
  })
})

describe('grouping is total', () => {
  test('whatever is given', () => {
    const text = fc.option(fc.string({ unit: anyUnit, maxLength: 100 }), { nil: undefined })
    fc.assert(
      fc.property(fc.record({ reason: text, errorType: text, errorMessage: text, stack: text }), fc.string(), (some, channel) => {
        const given = Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined))
        const { fingerprint, title } = causeOf(given, channel, nothing)
        expect(fingerprint).toMatch(/^v1:[0-9a-f]{32}$/)
        expect(title.length).toBeGreaterThan(0)
        expect(title.isWellFormed()).toBe(true)
        expect(causeOf(given, channel, nothing).fingerprint).toBe(fingerprint)
      }),
    )
  })
})
