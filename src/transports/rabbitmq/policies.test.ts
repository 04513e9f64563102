import { expect, test } from 'vitest'
import { type BrokerPolicy, overrides, policiesFor, underPolicy } from './policies.ts'

function policy(name: string, definition: BrokerPolicy['definition'], rest: Partial<BrokerPolicy> = {}): BrokerPolicy {
  return { name, pattern: '.*', 'apply-to': 'queues', priority: 0, definition, ...rest }
}

const queue = { name: 'orders', type: 'quorum' }

test('the policy with the highest priority among those whose pattern and type fit is in force', () => {
  const user = [
    policy('all', { expires: 1 }),
    policy('other', { expires: 2 }, { pattern: '^payments$', priority: 9 }),
    policy('classic', { expires: 3 }, { 'apply-to': 'classic_queues', priority: 9 }),
    policy('exchanges', { expires: 4 }, { 'apply-to': 'exchanges', priority: 9 }),
    policy('mine', { 'max-length': 5 }, { pattern: '^ord', priority: 5 }),
  ]
  expect(policiesFor(queue, { user, operator: [] })).toEqual({ definition: { 'max-length': 5 }, by: 'mine', unreadable: [] })
})

test('an operator policy adds to that of the user, and of two numbers the lower one counts', () => {
  const policies = {
    user: [policy('user', { 'max-length': 5, overflow: 'reject-publish' })],
    operator: [policy('operator', { 'max-length': 3, expires: 9 })],
  }
  expect(policiesFor(queue, policies)).toMatchObject({
    definition: { 'max-length': 3, overflow: 'reject-publish', expires: 9 },
    by: 'user and operator',
  })
})

test('a pattern that only the broker can read is not taken for one that does not fit', () => {
  const user = [policy('odd', { expires: 1 }, { pattern: '(?i)ORD' })]
  expect(policiesFor(queue, { user, operator: [] })).toMatchObject({ definition: {}, unreadable: ['odd'] })
})

test('an argument wins over a policy, except that of two numbers the lower one counts', () => {
  const found = { 'x-message-ttl': 100, 'x-delivery-limit': 20, 'x-overflow': 'reject-publish' }
  const definition = { 'message-ttl': 50, 'delivery-limit': 30, overflow: 'drop-head', expires: 7 }
  expect(underPolicy(found, definition)).toEqual({
    'x-message-ttl': 50,
    'x-delivery-limit': 20,
    'x-overflow': 'reject-publish',
    'x-expires': 7,
  })
  expect(overrides(found, definition)).toEqual(['message-ttl', 'expires'])
})

test('a limit of a policy counts where the queue itself says that it has none', () => {
  const found = { 'x-queue-type': 'quorum', 'x-delivery-limit': -1 }
  expect(underPolicy(found, { 'delivery-limit': 5 })).toMatchObject({ 'x-delivery-limit': 5 })
  expect(overrides(found, { 'delivery-limit': 5 })).toEqual(['delivery-limit'])
  expect(overrides(found, { 'delivery-limit': -1 })).toEqual([])
})

test('what a quorum queue does when it is full is said by a policy, and not by its own argument', () => {
  const full = { 'x-overflow': 'reject-publish' }
  expect(overrides({ ...full, 'x-queue-type': 'quorum' }, { overflow: 'drop-head' })).toEqual(['overflow'])
  expect(overrides({ ...full, 'x-queue-type': 'classic' }, { overflow: 'drop-head' })).toEqual([])
})

test('a policy that only names a dead-letter exchange overrides nothing', () => {
  expect(overrides({ durable: true }, { 'dead-letter-exchange': 'dlx', 'ha-mode': 'all' })).toEqual([])
})
