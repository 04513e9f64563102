import { expect, it } from 'vitest'
import { highest } from './severity.ts'

it('the highest of several, and the lowest of none', () => {
  expect(highest(['warning', 'critical', 'info'])).toBe('critical')
  expect(highest(['info', 'warning'])).toBe('warning')
  expect(highest([])).toBe('info')
})
