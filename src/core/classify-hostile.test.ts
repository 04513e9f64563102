import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anythingAtAll, type Hostility, hostileValue } from '../../test/hostile-values.ts'
import { classify } from './classify.ts'
import { resolveClassifyRules } from './classify-rules.ts'

const defaults = resolveClassifyRules(undefined, 'permanent', 'consumer')

function errorWith(properties: object): Error {
  return Object.assign(new Error('failed'), properties)
}

describe('classify never throws', () => {
  it.each([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a number', 42, '42'],
    ['a symbol', Symbol('boom'), 'Symbol(boom)'],
    ['a bigint', 10n ** 100_000n, 'A value of type bigint without a message was thrown.'],
    ['a function', () => 1, 'A value of type function without a message was thrown.'],
    ['a frozen object', Object.freeze({ message: 'cold' }), 'cold'],
    ['an object whose name is no text', { name: { toString: 1 }, message: 'odd' }, 'odd'],
    ['an object whose message is no text', { message: Symbol('x') }, 'A value of type object without a message was thrown.'],
  ])('on %s', (_, thrown, message) => {
    expect(classify(thrown, defaults)).toMatchObject({ class: 'retryable', by: 'default', message })
  })

  it.each<Hostility>(['proxy', 'callable', 'revoked', 'getters', 'array'])('on a hostile value: %s', (hostility) => {
    for (const make of [
      () => hostileValue(hostility),
      () => errorWith({ cause: hostileValue(hostility), response: hostileValue(hostility) }),
    ]) {
      expect(classify(make(), defaults)).toMatchObject({ class: 'retryable', by: 'default' })
    }
  })

  it('on a cause that is new at every look', () => {
    const endless: object = new Proxy({}, { get: (_, key) => (key === 'cause' ? endlessCopy() : undefined) })
    const endlessCopy = (): object => new Proxy(endless, {})
    expect(classify(endless, defaults).by).toBe('default')
  })

  it('on a message of 10 MB, of which it keeps and searches only the start', () => {
    const { message, by } = classify(new Error(`${'time'.repeat(2.5e6)} timeout`), defaults)
    expect([message.length, by]).toEqual([16_384, 'default'])
  })

  it('on anything at all, with a class and texts in the answer', () => {
    const rules = resolveClassifyRules(
      {
        types: [
          { type: hostileType(), class: 'permanent' },
          { type: TypeError, class: 'permanent' },
        ],
      },
      'permanent',
      'consumer',
    )
    fc.assert(
      fc.property(anythingAtAll, anythingAtAll, (make, inner) => {
        for (const thrown of [
          make(),
          errorWith({ cause: make(), code: inner() }),
          { errors: [inner()], name: 'AggregateError', cause: make() },
        ]) {
          const found = classify(thrown, rules)
          expect(['retryable', 'permanent', 'invalid', 'cancelled']).toContain(found.class)
          expect([typeof found.errorType, typeof found.message]).toEqual(['string', 'string'])
        }
      }),
    )
  })
})

function hostileType(): new () => unknown {
  const refuse = (): never => {
    throw new Error('hostile')
  }
  return Object.defineProperty(class {}, Symbol.hasInstance, { value: refuse })
}
