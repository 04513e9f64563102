import { describe, expect, it } from 'vitest'
import { isArray, isInstance, isObject, warilyRead } from './wary.ts'

const { proxy: revoked, revoke } = Proxy.revocable([], {})
revoke()
const throwing = {
  get text(): string {
    throw new Error('not for you')
  },
}

describe('looking at anything', () => {
  it.each([
    ['its own', { a: 1 }, 'a', 1],
    ['an inherited one', [], 'length', 0],
    ['one of a function', () => {}, 'length', 0],
    ['one that throws', throwing, 'text', undefined],
    ['one of a revoked proxy', revoked, 'length', undefined],
    ['one of null', null, 'a', undefined],
    ['one of a text', 'abc', 'length', undefined],
  ])('reads a property: %s', (_, value, key, read) => {
    expect(warilyRead(value, key)).toBe(read)
  })

  it('tells arrays and objects', () => {
    expect([[], {}, revoked].map(isArray)).toEqual([true, false, false])
    expect([{}, () => {}, [], null, 'a', undefined].map(isObject)).toEqual([true, true, true, false, false, false])
  })

  it('asks for a class without running into whoever wrote it', () => {
    const refuse = (): never => {
      throw new Error('not for you')
    }
    const hostile = Object.defineProperty(() => {}, Symbol.hasInstance, { value: refuse })
    expect([isInstance(new Error(), Error), isInstance({}, Error)]).toEqual([true, false])
    expect([isInstance({}, hostile), isInstance({}, 'Error'), isInstance({}, undefined)]).toEqual([false, false, false])
  })
})
