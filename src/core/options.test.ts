import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anythingAtAll } from '../../test/hostile-values.ts'
import { RedriveError } from './errors.ts'
import { flag, wholeNumber } from './option-checks.ts'
import { readOptions } from './options.ts'

const count = wholeNumber({ min: 0, max: 9 })
const keys = ['retries', 'enabled', 'backoff'] as const

describe('readOptions', () => {
  it('gives what was given and falls back for what was not', () => {
    const options = readOptions({ retries: 3, enabled: undefined }, keys, 'channel "orders"')
    expect(options.read('retries', count, 0)).toBe(3)
    expect(options.read('enabled', flag, true)).toBe(true)
    expect([options.has('retries'), options.has('enabled')]).toEqual([true, false])
  })

  it('reads options that were not given at all as empty', () => {
    expect(readOptions(undefined, keys, 'channel "orders"').read('retries', count, 7)).toBe(7)
  })

  it('refuses an unknown option and names the one that was probably meant', () => {
    expect(() => readOptions({ retires: 3 }, keys, 'channel "orders"')).toThrow(
      expect.objectContaining({
        code: 'unknown-option',
        message: 'channel "orders": retires is not an option. Did you mean "retries"? Allowed: retries, enabled, backoff.',
      }),
    )
  })

  it('guesses nothing when no option is near', () => {
    expect(() => readOptions({ colour: 'red' }, keys, 'channel "orders"')).toThrow(
      'channel "orders": colour is not an option. Allowed:',
    )
  })

  it('quotes and cuts a key that is no name', () => {
    expect(() => readOptions({ [`\n${'x'.repeat(1e6)}`]: 1 }, keys, 'consumer')).toThrow(
      /^consumer: "\\nx{59}"… is not an option\./,
    )
  })

  it('names the full path of a nested option', () => {
    const nested = readOptions({ backoff: { retries: 'x' } }, keys, 'channel "orders"').nested('backoff', keys)
    expect(() => nested.read('retries', count, 0)).toThrow(
      'channel "orders": backoff.retries is "x". Allowed: a whole number from 0 to 9.',
    )
    expect(() => nested.nested('retries', keys)).toThrow('channel "orders": backoff.retries is "x". Allowed: an object with')
  })

  it('refuses a required option that is missing', () => {
    expect(() => readOptions({}, keys, 'consumer').required('retries', count)).toThrow('consumer: retries is missing')
    expect(readOptions({ retries: 1 }, keys, 'consumer').required('retries', count)).toBe(1)
  })

  it.each([null, 5, 'text', [], () => 1])('refuses %o as options', (options) => {
    expect(() => readOptions(options, keys, 'consumer')).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })

  it('reads a getter once', () => {
    let reads = 0
    const options = readOptions(
      {
        get retries() {
          return ++reads
        },
      },
      keys,
      'consumer',
    )
    expect([options.read('retries', count, 0), options.read('retries', count, 0)]).toEqual([1, 1])
  })

  it('throws nothing but a RedriveError, whatever it is given', () => {
    fc.assert(
      fc.property(anythingAtAll, (make) => {
        const value = make()
        for (const options of [value, { retries: value }, { backoff: value }]) {
          expectNothingButRedriveErrors(() => {
            const reader = readOptions(options, keys, 'consumer')
            reader.read('retries', count, 0)
            reader.nested('backoff', keys)
          })
        }
      }),
    )
  })
})

function expectNothingButRedriveErrors(act: () => void): void {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(RedriveError)
  }
}
