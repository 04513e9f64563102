import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyFilter, letter } from './filters.fixture.ts'
import { findWithoutGoingBack } from './find-text.ts'
import { type FilterableLetter, matches } from './matches-filter.ts'
import { parseFilter } from './parse-filter.ts'
import { matchesPattern } from './pattern.ts'
import { wordsOf } from './words.ts'

const now = Date.UTC(2026, 10, 16, 10)
const found = (filter: string, changes: Partial<FilterableLetter> = {}): boolean =>
  matches(parseFilter(filter), letter(changes), now)

/** Each row: what the letter of the fixture matches, and the nearest thing that it does not. */
describe.each([
  ['id:4711', 'id:471'],
  ['id:1,4711', 'id:1,2'],
  ['state:open', 'state:sent'],
  ['state:sent,open', 'state:sent,unknown'],
  ['source:dlq.orders', 'source:dlq.order'],
  ['source:dlq.*', 'source:*.dlq'],
  ['source:dlq.*', 'source:DLQ.*'],
  ['source:*q.o*s', 'source:*q.o*x'],
  ['channel:orders', 'channel:order'],
  ['channel:ord*ers', 'channel:orders*s'],
  ['connection:shop', 'connection:bank'],
  ['cause:3f2a', 'cause:f2a'],
  ['cause:v1:3f2a', 'cause:v2:3f2a'],
  ['cause:v1:3f2a96184803ce69772c3c25e22bce73', 'cause:3f2a96184803ce69772c3c25e22bce730'],
  ['reason:MaxDelivery*', 'reason:MaxDelivery'],
  ['error:*TimeoutException', 'error:TimeoutException'],
  ['dialect:spring-*', 'dialect:kafka'],
  ['type:order.placed,x', 'type:order'],
  ['key:customer-7', 'key:customer'],
  ['correlation:c-981', 'correlation:c-98'],
  ['message:m-1', 'message:m'],
  ['letter:5e0c', 'letter:5e0'],
  ['service:billing', 'service:bill'],
  ['version:2.4.*', 'version:2.3.*'],
  ['owner:ana', 'owner:an'],
  ['replay:13', 'replay:14'],
  ['attempts:3', 'attempts:2'],
  ['attempts>2', 'attempts>3'],
  ['attempts>=3', 'attempts>=4'],
  ['attempts<4', 'attempts<3'],
  ['attempts<=3', 'attempts<=2'],
  ['size:64KiB', 'size:64KB'],
  ['size>=64KiB', 'size>64KiB'],
  ['size<=64KiB', 'size<64KiB'],
  ['age>=2h', 'age>2h'],
  ['age<=2h', 'age<2h'],
  ['failed>=2026-11-16T08:00', 'failed>2026-11-16T08:00'],
  ['failed<2026-11-17', 'failed<2026-11-16'],
  ['received<=2026-11-16T10:00+01:00', 'received<2026-11-16T10:00+01:00'],
  ['header.tenant:acme', 'header.tenant:acm'],
  ['header.tenant:globex', 'header.Tenant:globex'],
  ['header.tenant:glo*', 'header.tenant:*glo'],
  ['header.retries:3', 'header.retries:4'],
  ['header.tenant:*', 'header.x-death:*'],
  ['has:key', '-has:key'],
  ['has:correlation,note', '-has:note'],
  ['declined', 'decline'],
  ['declin*', 'eclin*'],
  ['"card declined"', '"declined card"'],
  ['"card declin"*', '"car declin"*'],
  ['DECLINED uberweisung', 'declined receipt'],
  ['paymenterror', '"100 payment"'],
  ['body:"ring twice"', '"ring twice"'],
  ['body:twice', 'body:card'],
  ['body:twi*', 'body:wice*'],
  ['-state:sent', '-state:open'],
  ['state:open key:customer-7', 'state:open key:x'],
  ['state:sent OR key:customer-7', 'state:sent OR key:x'],
  ['state:sent key:x OR attempts:3', 'state:sent (key:customer-7 OR attempts:3)'],
  ['-(state:sent OR key:x)', '-(state:sent OR key:customer-7)'],
  ['', '-(state:open)'],
])('a letter is found by %j', (finding, missing) => {
  it(`and not by ${missing}`, () => {
    expect(found(finding)).toBe(true)
    expect(found(missing)).toBe(false)
  })
})

describe('what a letter does not have', () => {
  const { attempts: _, cause: __, channel: ___, key: ____, body: _____, ...bare } = letter({ hasNote: false })
  const foundBare = (filter: string): boolean => matches(parseFilter(filter), bare, now)

  it.each(['attempts>=0', 'attempts<1', 'cause:3', 'channel:*', 'key:""', 'has:key', 'has:note', 'body:a', 'header.none:*'])(
    'matches no %s, and therefore its denial',
    (filter) => {
      expect(foundBare(filter)).toBe(false)
      expect(foundBare(`-${filter}`)).toBe(true)
    },
  )
})

it('relative time is of the moment of use, not of reading', () => {
  const filter = parseFilter('age>1h')
  expect(matches(filter, letter({ failed: 0 }), 3_600_000)).toBe(false)
  expect(matches(filter, letter({ failed: 0 }), 3_600_001)).toBe(true)
})

it('a filter finds what its denial does not', () => {
  fc.assert(
    fc.property(anyFilter, fc.boolean(), (filter, isBare) => {
      const one = letter(isBare ? { headers: [], texts: [], replays: [] } : {})
      expect(matches({ kind: 'not', of: filter }, one, now)).toBe(!matches(filter, one, now))
    }),
  )
})

it('a pattern matches what a regular expression of the same pieces matches', () => {
  const small = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 })
  fc.assert(
    fc.property(fc.array(small, { minLength: 1, maxLength: 4 }), small, (pieces, text) => {
      const expression = new RegExp(`^${pieces.map((piece) => piece.replaceAll('.', '\\.')).join('.*')}$`)
      expect(matchesPattern(pieces, text)).toBe(expression.test(text))
    }),
    { numRuns: 2000 },
  )
})

it('the search that never goes back finds what the search of the engine finds', () => {
  const small = (maxLength: number): fc.Arbitrary<string> => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength })
  fc.assert(
    fc.property(small(24), small(6), fc.nat(30), (text, piece, from) => {
      expect(findWithoutGoingBack(text, piece, from)).toBe(text.indexOf(piece, from))
    }),
    { numRuns: 2000 },
  )
})

describe('characters that mean something elsewhere are only themselves', () => {
  const literal = [
    "' OR 1=1 --",
    '%',
    '_',
    '\\',
    '*',
    '"',
    '?',
    '[a-z]',
    '(a+)+$',
    "'; DROP TABLE letters; --",
    '$(id)',
    '\u0000',
    '`id`',
    '{{x}}',
  ]
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

  it.each(literal)('%j in a value', (text) => {
    for (const field of ['key', 'reason', 'header.tenant']) {
      const holding = (value: string): Partial<FilterableLetter> => ({ key: value, reason: value, headers: [['tenant', value]] })
      expect(found(`${field}:${quoted(text)}`, holding(text))).toBe(true)
      expect(found(`${field}:${quoted(text)}`, holding('aaaaaa'))).toBe(false)
      expect(found(`${field}:${quoted(text)}`, holding(`${text}a`))).toBe(false)
    }
  })

  it.each(literal)('%j in a search finds nothing but its words', (text) => {
    const words = wordsOf(text)
    if (words.length === 0) expect(() => parseFilter(quoted(text))).toThrow('There is no letter and no digit')
    else expect(parseFilter(quoted(text))).toMatchObject({ words: words.filter((word) => /^[\p{L}\p{N}]+$/u.test(word)) })
  })

  it.each(['process.exit()', 'constructor.constructor("return process")()', '__proto__:x', '__proto__.polluted:1', 'toString:1'])(
    '%j is refused, and nothing of it happens',
    (text) => {
      expect(() => parseFilter(text)).toThrow(/^Character \d+ of the filter/)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    },
  )

  it('header.__proto__ and header.constructor are names of headers like any other', () => {
    expect(found('header.__proto__:x')).toBe(false)
    expect(found('header.constructor:*')).toBe(false)
    expect(found('header.__proto__:x', { headers: [['__proto__', 'x']] })).toBe(true)
  })
})
