import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

const options = ['immediate', 'delayed', 'retries', 'backoff', 'maxDeliveryCount']

it.each([
  ['imediate', 'immediate'],
  ['retires', 'retries'],
  ['MaxDeliveryCount', 'maxDeliveryCount'],
  ['backof', 'backoff'],
  ['colour', undefined],
  ['', undefined],
  ['retries'.repeat(1e5), undefined],
])('takes %.20j for %j', (word, meant) => {
  expect(nearest(word, options)).toBe(meant)
})
