import { describe, expect, test } from 'vitest'
import { glob, globAnyCase } from './glob.ts'

describe('a pattern of names', () => {
  test.each([
    ['shop/dlq.orders', 'shop/dlq.orders', true],
    ['shop/dlq.orders', 'shop/dlq.Orders', false],
    ['shop/*', 'shop/', true],
    ['shop/*', 'Shop/x', false],
    ['*', '', true],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'ac', false],
    ['a*b*c', 'acb', false],
    ['a*b*c', 'a-b-b-c', true],
    ['*token', 'access-token', true],
    ['*token', 'token-id', false],
    // Nothing is used twice.
    ['ab*ba', 'aba', false],
    ['a*a', 'a', false],
    ['a*b*b', 'ab', false],
    ['*ab*ab*', 'abab', true],
    ['*ab*ab*', 'aba', false],
    ['a*', 'ba', false],
    ['', 'x', false],
  ])('%s and %s', (pattern, name, matches) => {
    expect(glob(pattern)(name)).toBe(matches)
  })

  test('ignores letter case only where it is told to', () => {
    expect(globAnyCase('X-Api-*')('x-API-key')).toBe(true)
    expect(glob('X-Api-*')('x-API-key')).toBe(false)
  })
})
