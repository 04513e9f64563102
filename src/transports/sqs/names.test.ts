import { expect, it } from 'vitest'
import { queueNameOf, tokenOf } from './names.ts'

it.each([
  ['dlq.settlement.requested', 'standard', 'dlq-settlement-requested'],
  ['orders', 'fifo', 'orders.fifo'],
  ['orders.v2.fifo', 'fifo', 'orders-v2.fifo'],
  ['Grüße/1', 'standard', 'Gr--e-1'],
] as const)('the channel %s of %s queues is the queue %s', (name, kind, queue) => {
  expect(queueNameOf({ name }, { queues: kind, prefix: '' })).toBe(queue)
})

it.each([
  ['orders.fifo', 'standard', "queues: 'fifo'"],
  ['', 'standard', '1 to 80 characters'],
  ['x'.repeat(76), 'fifo', '1 to 80 characters'],
] as const)('%j is no name for %s queues', (name, kind, why) => {
  expect(() => queueNameOf({ name }, { queues: kind, prefix: '' })).toThrow(why)
})

it('puts a prefix before every name', () => {
  expect(queueNameOf({ name: 'orders.v2' }, { queues: 'fifo', prefix: 'staging-' })).toBe('staging-orders-v2.fifo')
})

it('keeps a token that SQS takes, and knows every other by its hash, text apart from bytes', () => {
  expect(tokenOf('customer-1')).toBe('customer-1')
  const hashed = ['', 'a b', 'x'.repeat(129), new Uint8Array([97, 32, 98])].map(tokenOf)
  expect(new Set(hashed).size).toBe(4)
  for (const token of hashed) expect(token).toMatch(/^redrive-[0-9a-f]{64}$/)
})
