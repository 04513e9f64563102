import { expect, test } from 'vitest'
import type { Headers, Message } from './message.ts'
import { carriedRoute, carrying, firstRoute } from './route.ts'

const body = new Uint8Array()
const placed = { exchange: 'shop', routingKey: 'order.placed' }

function letter(headers: Headers, properties?: Record<string, unknown>): Message {
  return { body, headers, ...(properties && { native: { transport: 'rabbitmq', properties } }) }
}

const rejected = { queue: 'orders', reason: 'rejected', exchange: 'shop', 'routing-keys': ['order.placed', 'copy'] }
const waited = { queue: 'orders.wait', reason: 'expired', exchange: 'retry', 'routing-keys': ['orders'] }
const firstDeath: Headers = [
  ['x-first-death-queue', 'orders'],
  ['x-first-death-reason', 'rejected'],
]

test('the broker tells by its record of the first death, wherever in the list that stands', () => {
  expect(firstRoute(letter([['x-death', [rejected, waited]], ...firstDeath]))).toEqual(placed)
  expect(firstRoute(letter([['x-death', [waited, rejected]]]))).toEqual(placed)
})

test('the default exchange has an empty name, and is an exchange', () => {
  const death = { ...rejected, exchange: '', 'routing-keys': ['orders'] }
  expect(firstRoute(letter([['x-death', [death]]]))).toEqual({ exchange: '', routingKey: 'orders' })
})

test('Spring AMQP and rascal tell it in headers of their own', () => {
  const spring: Headers = [
    ['x-original-exchange', 'shop'],
    ['x-original-routingKey', 'order.placed'],
  ]
  expect(firstRoute(letter(spring))).toEqual(placed)
  const rascal = { originalExchange: 'shop', originalRoutingKey: 'order.placed' }
  expect(firstRoute(letter([['rascal', rascal]]))).toEqual(placed)
})

test('what a copy carries goes before what happened to that copy', () => {
  const carried = { [carriedRoute.exchange]: 'shop', [carriedRoute.routingKey]: 'order.placed' }
  expect(firstRoute(letter([['x-death', [waited]]], carried))).toEqual(placed)
})

test.each<[string, Headers]>([
  ['nothing', []],
  ['an empty record', [['x-death', []]]],
  ['a record that is no list', [['x-death', 'shop']]],
  ['a death without keys', [['x-death', [{ queue: 'orders', reason: 'rejected', exchange: 'shop' }]]]],
  ['a death whose keys are numbers', [['x-death', [{ ...rejected, 'routing-keys': [7] }]]]],
])('%s tells no route', (_, headers) => {
  expect(firstRoute(letter(headers, { exchange: 'dlx', routingKey: 'orders' }))).toBeUndefined()
})

test('a message carries its first route, and not that of its letter', () => {
  const dead = letter([], { exchange: 'dlx', routingKey: 'dead', priority: 3 })
  expect(firstRoute(carrying(dead, placed))).toEqual(placed)
  expect(carrying(dead, undefined).native?.properties).toEqual({ priority: 3 })
})
