import { expect, test } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import type { ManagedBinding, ManagedExchange } from './management.ts'
import { reachOf } from './reach.ts'

type Exchanges = Readonly<Record<string, Partial<ManagedExchange>>>

/** `shop -order.*-> orders` binds a queue, `shop -order.*-> @audit` an exchange. */
function world(exchanges: Exchanges, arrows: readonly string[]): Parameters<typeof reachOf>[0] {
  const bindings = arrows.map((arrow): ManagedBinding => {
    const [, source = '', routing_key = '', isExchange, destination = ''] = /^(\S+) -(.*)-> (@?)(.+)$/.exec(arrow) ?? []
    return { source, routing_key, destination, destination_type: isExchange ? 'exchange' : 'queue' }
  })
  return {
    async exchange(name) {
      const known = exchanges[name]
      if (!known) throw new RedriveError('unknown-channel', `There is no exchange "${name}" on the broker.`)
      return { type: 'direct', durable: true, arguments: {}, ...known }
    },
    bindings: async () => bindings,
    queueNames: async () => ['orders', 'audit'],
  }
}

const placed = { exchange: 'shop', routingKey: 'order.placed' }

test('a direct exchange reaches what is bound for the key, a fanout everything, a topic what its patterns take', async () => {
  const arrows = ['shop -order.placed-> orders', 'shop -order.*-> billing', 'shop -#.placed-> audit', 'shop -order-> none']
  expect(await reachOf(world({ shop: {} }, arrows), placed)).toEqual({ channels: ['orders'] })
  expect((await reachOf(world({ shop: { type: 'fanout' } }, arrows), placed)).channels).toHaveLength(4)
  const topic = world({ shop: { type: 'topic' } }, arrows)
  expect(await reachOf(topic, placed)).toEqual({ channels: ['audit', 'billing', 'orders'] })
})

test('exchanges behind exchanges are followed, each once', async () => {
  const exchanges: Exchanges = { shop: { type: 'topic' }, copies: { type: 'fanout' } }
  const arrows = ['shop -order.#-> @copies', 'copies --> @shop', 'copies --> audit', 'shop -order.placed-> orders']
  expect(await reachOf(world(exchanges, arrows), placed)).toEqual({ channels: ['audit', 'orders'] })
})

test('what nothing is bound for goes to the alternate exchange', async () => {
  const exchanges: Exchanges = { shop: { arguments: { 'alternate-exchange': 'lost' } }, lost: { type: 'fanout' } }
  expect(await reachOf(world(exchanges, ['lost --> unrouted']), placed)).toEqual({ channels: ['unrouted'] })
  const bound = world(exchanges, ['lost --> unrouted', 'shop -order.placed-> orders'])
  expect(await reachOf(bound, placed)).toEqual({ channels: ['orders'] })
})

test('an exchange that is gone, or to which nothing is bound, reaches nothing', async () => {
  expect(await reachOf(world({}, []), placed)).toEqual({ channels: [] })
  expect(await reachOf(world({ shop: {} }, []), placed)).toEqual({ channels: [] })
})

test('the default exchange reaches the queue of that name, if there is one', async () => {
  expect(await reachOf(world({}, []), { exchange: '', routingKey: 'orders' })).toEqual({ channels: ['orders'] })
  expect(await reachOf(world({}, []), { exchange: '', routingKey: 'gone' })).toEqual({ channels: [] })
})

test('what cannot be known is said, and never shown as all there is', async () => {
  const headers = world({ shop: { type: 'headers' } }, ['shop --> orders'])
  expect(await reachOf(headers, placed)).toEqual({
    channels: ['orders'],
    doubt: 'The exchange shop is of type headers and does not route by the key alone.',
  })
  expect((await reachOf(undefined, placed)).doubt).toContain('Only the management API')
  expect((await reachOf(world({ shop: { policy: 'alternates' } }, []), placed)).doubt).toContain('policy alternates')
})
