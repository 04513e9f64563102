import { expect, test } from 'vitest'
import { compareVersions } from './version-order.ts'

test.each([
  ['1.4.0', '1.4.0', 0],
  ['1.4.0', '1.10.0', -1],
  ['v2', '1.99.99', 1],
  ['1.4', '1.4.0', 0],
  ['1.4.0-rc.1', '1.4.0', -1],
  ['1.4.0-rc.10', '1.4.0-rc.9', 1],
  ['1.4.0+build.7', '1.4.0+build.8', 0],
  ['2026.11.16', '2026.9.30', 1],
])('%s against %s', (one, other, order) => {
  expect(Math.sign(compareVersions(one, other) ?? Number.NaN)).toBe(order)
  expect(Math.sign(compareVersions(other, one) ?? Number.NaN)).toBe(order === 0 ? 0 : -order)
})

test.each([
  ['3f2a9b1', '1.4.0'],
  ['1.4.0', 'main'],
  ['', '1'],
  ['1'.repeat(200), '1'],
])('%s and %s cannot be compared', (one, other) => {
  expect(compareVersions(one, other)).toBeUndefined()
})
