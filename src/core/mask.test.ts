import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskHeaders, maskJson } from './mask.ts'
import type { HeaderValue } from './message.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('masked headers', () => {
  test('hide the values of the usual names, whatever their case, and keep all others', () => {
    const headers = [
      ['Authorization', 'Bearer abc'],
      ['x', 'seen'],
      ['X-Api-Key', bytes('abc')],
      ['refresh_token_2', 7],
      ['Set-Cookie', null],
      ['x', 'seen again'],
    ] as const
    expect(maskHeaders(headers)).toEqual([
      ['Authorization', '•••'],
      ['x', 'seen'],
      ['X-Api-Key', '••• bytes'],
      ['refresh_token_2', '••• number'],
      ['Set-Cookie', null],
      ['x', 'seen again'],
    ])
  })

  test.each([
    'proxy-authorization',
    'cookie',
    'my-secret-id',
    'passwd',
    'aws-credentials',
    'x_api_key',
    'apikey',
    'private-key-pem',
    'private_key',
    'aws-access-key-id',
    'access_key',
    'session-id',
    'x-signature',
  ])('hide %s', (name) => {
    expect(maskHeaders([[name, 'abc']])).toEqual([[name, '•••']])
  })

  test.each<[string, HeaderValue, unknown]>([
    ['a date', new Date(0), '••• date'],
    ['a long number', 5n, '••• number'],
    ['a list', ['a'], '••• list'],
    ['a table', { a: 'b' }, '••• object'],
    ['a truth', true, '••• boolean'],
  ])('tell that they hide %s', (_, value, hidden) => {
    expect(maskHeaders([['token', value]])).toEqual([['token', hidden]])
  })

  test('end on tables and lists that are too deep', () => {
    const nested = (wrap: (inner: HeaderValue) => HeaderValue): HeaderValue => {
      let value: HeaderValue = 'deep'
      for (let depth = 0; depth < 70; depth++) value = wrap(value)
      return value
    }
    for (const wrap of [(inner: HeaderValue) => [inner], (inner: HeaderValue) => ({ inner })]) {
      const shown = JSON.stringify(maskHeaders([['x', nested(wrap)]]))
      expect([shown.includes('deep'), shown.includes('•••')]).toEqual([false, true])
    }
  })

  test('hide names in nested tables and lists too', () => {
    const headers = [['x-death', [{ queue: 'orders', password: 'abc', when: new Date(0) }]]] as const
    expect(maskHeaders(headers)).toEqual([['x-death', [{ queue: 'orders', password: '•••', when: new Date(0) }]]])
  })

  test('follow rules of the user in place of the usual ones', () => {
    const headers = [
      ['tenant', 'a'],
      ['token', 'b'],
      ['x-customer-mail', 'c'],
    ] as const
    expect(maskHeaders(headers, ['tenant', 'x-*-mail'])).toEqual([
      ['tenant', '•••'],
      ['token', 'b'],
      ['x-customer-mail', '•••'],
    ])
  })
})

describe('masked JSON', () => {
  const order = {
    customer: { email: 'a@b.c', name: 'Ann' },
    items: [{ card: 4111, n: 1 }, { card: null }],
    deep: { er: { password: ['x'] } },
  }

  test('hides what a plain path names', () => {
    expect(maskJson(order, ['$.customer.email'])).toEqual({ ...order, customer: { email: '•••', name: 'Ann' } })
  })

  test('hides what a path names in every item, and says what kind of value it was', () => {
    expect(maskJson(order, ['$.items[*].card'])).toEqual({ ...order, items: [{ card: '••• number', n: 1 }, { card: null }] })
  })

  test('hides what a path names in one item', () => {
    expect(maskJson([[1], [2]], ['$[1][0]'])).toEqual([[1], ['••• number']])
  })

  test('hides a name at any depth, and parts of names', () => {
    expect(maskJson(order, ['**.password'])).toEqual({ ...order, deep: { er: { password: '••• list' } } })
    expect(maskJson({ a: { authTokenOld: 'x', b: 1 } }, ['**.*token*'])).toEqual({ a: { authTokenOld: '•••', b: 1 } })
    expect(maskJson({ password: 'x' }, ['**.password'])).toEqual({ password: '•••' })
    expect(maskJson({ a: { b: { c: 1 }, c: 2 } }, ['a.**.c'])).toEqual({ a: { b: { c: '••• number' }, c: '••• number' } })
  })

  test('hides all below a path, or all', () => {
    expect(maskJson({ a: { b: 1, c: { d: 2 } } }, ['$.a.**'])).toEqual({ a: { b: '••• number', c: '••• object' } })
    expect(maskJson({ a: 1 }, ['$'])).toBe('••• object')
  })

  test('reads bytes, and hides all of them when they are no JSON', () => {
    expect(maskJson(bytes('{"a":"x","b":true}'), ['$.a'])).toEqual({ a: '•••', b: true })
    expect(maskJson(bytes('{"a":'), ['$.a'])).toBe('••• bytes')
    expect(maskJson(Uint8Array.of(0x22, 0xff, 0x22), ['$.a'])).toBe('••• bytes')
  })

  test('never changes what it is given', () => {
    const given = structuredClone(order)
    maskJson(given, ['**.card', '$.customer'])
    expect(given).toEqual(order)
  })

  test('takes a field called __proto__ for a field', () => {
    const copy = maskJson(bytes('{"__proto__":{"password":"x"}}'), ['**.password'])
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"password":"•••"}}')
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  })

  test('ends on values that are too deep, hold themselves or throw when they are read', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}"password"${']'.repeat(5000)}`)
    expect(JSON.stringify(maskJson(deep, []))).toBe(`${'['.repeat(64)}"••• list"${']'.repeat(64)}`)
    const cyclic: unknown[] = []
    cyclic.push(cyclic, cyclic)
    expect(() => maskJson(cyclic, ['**.x'])).not.toThrow()
    const hostile = Object.defineProperty({}, 'x', { enumerable: true, get: () => throwOnRead() })
    expect(maskJson(hostile, [])).toBe('••• object')
  })

  test('is the value itself where no path matches, for any JSON and any paths', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.array(fc.string()), (value, paths) => {
        expect(maskJson(value, [])).toEqual(value)
        expect(() => maskJson(value, paths)).not.toThrow()
      }),
    )
  })

  test('shows no value of a masked name, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const hidden = maskJson({ some: [{ here: { password: { value, mark: 'hunter2' } } }] }, ['**.password'])
        expect(hidden).toEqual({ some: [{ here: { password: '••• object' } }] })
      }),
    )
  })
})

function throwOnRead(): never {
  throw new Error('read')
}
