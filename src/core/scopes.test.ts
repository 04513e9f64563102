import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { covers, type Scopes, within } from './scopes.ts'

const patterns = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 6 }), { maxLength: 3 })
const scopes: fc.Arbitrary<Scopes> = fc.array(patterns, { maxLength: 2 })
const name = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 })

describe('what one person was given covers what another was', () => {
  test.each<[Scopes, Scopes, boolean]>([
    [[['*']], [['shop/*']], true],
    [[['*']], [], true],
    [[], [['*']], true],
    [[['shop/*']], [], false],
    [[['shop/*']], [['*']], false],
    [[['shop/*']], [['shop/orders', 'shop/dlq.*']], true],
    [[['shop/*']], [['shop/orders', 'bank/orders']], false],
    [[['shop/orders']], [['shop/*']], false],
    [[['shop/*'], ['*/orders']], [['shop/orders']], true],
    [[['shop/*'], ['*/orders']], [['shop/*']], false],
    [[['shop/*'], ['*/orders']], [['*'], ['shop/orders']], true],
  ])('%j of %j: %s', (one, other, is) => {
    expect(covers(one, other)).toBe(is)
  })

  test('and then sees all that the other sees', () => {
    fc.assert(
      fc.property(scopes, scopes, name, name, (one, other, connection, channel) => {
        const place = { connection, channel }
        expect(covers(one, other) && within(other)(place) && !within(one)(place)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
