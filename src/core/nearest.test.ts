import { expect, it } from 'vitest'
import { nearest } from './nearest.ts'

const options = ['immediate', 'delayed', 'retries', 'backoff', 'maxDeliveryCount']

it.each([
  ['imediate', 'immediate'],
  ['retires', 'retries'],
  ['MaxDeliveryCount', 'maxDeliveryCount'],
  ['backof', 'backoff'],
  ['delay', 'delayed'],
  ['dela', undefined],
  ['colour', undefined],
  ['', undefined],
  ['retries'.repeat(1e5), undefined],
])('takes %.20j for %j', (word, meant) => {
  expect(nearest(word, options)).toBe(meant)
})

it('takes no word for another that shares no letter with it', () => {
  expect(nearest('id', ['to'])).toBeUndefined()
})
