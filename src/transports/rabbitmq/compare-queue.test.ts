import { expect, test } from 'vitest'
import type { WantedChannel } from '../topology.ts'
import { compareQueue, type Surroundings } from './compare-queue.ts'
import { type DeadLetterExchange, takes } from './dead-letter-exchange.ts'
import { argumentsFor, type QueueArguments } from './queue-arguments.ts'

const wanted: WantedChannel = { address: { name: 'work' }, role: 'work', deadLetterTo: { name: 'dead' }, maxTurns: 4 }
const around: Surroundings = { queueType: 'quorum', version: '4.0.5', graveExists: true, exchange: undefined }
const good: QueueArguments = { durable: true, ...argumentsFor(wanted, 'quorum', '4.0.5') }

function exchange(keys: readonly string[], rest: Partial<DeadLetterExchange['seen']> = {}): DeadLetterExchange {
  const bindings = keys.map((routing_key) => ({ destination: 'dead', routing_key }))
  return { exists: true, seen: { type: 'direct', durable: true, alternate: undefined, bindings, ...rest } }
}

function findings(found: QueueArguments, rest: Partial<Surroundings> = {}, channel = wanted): string[] {
  return compareQueue(channel, found, { ...around, ...rest }).map(({ severity, what }) => `${severity} ${what}`)
}

function without(name: string): QueueArguments {
  return Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
}

test('what we create ourselves has nothing wrong with it, on both versions', () => {
  expect(findings(good)).toEqual([])
  for (const version of ['3.10.8', '4.0.5']) {
    for (const channel of [wanted, { address: { name: 'dead' }, role: 'dead-letter' } as const])
      expect(findings({ durable: true, ...argumentsFor(channel, 'quorum', version) }, { version }, channel)).toEqual([])
  }
})

test.each<[string, QueueArguments, Partial<Surroundings>, string]>([
  ['a queue that a restart loses', { ...good, durable: false }, {}, 'fatal not-durable'],
  ['a queue that vanishes with its consumers', { ...good, auto_delete: true }, {}, 'fatal auto-delete'],
  ['no dead-letter exchange', without('x-dead-letter-exchange'), {}, 'fatal dead-letter-missing'],
  ['another dead-letter queue', { ...good, 'x-dead-letter-routing-key': 'other' }, {}, 'fatal dead-letter-differs'],
  ['a dead-letter queue that does not exist', good, { graveExists: false }, 'fatal dead-letter-channel-missing'],
  [
    'a named exchange that does not exist',
    { ...good, 'x-dead-letter-exchange': 'dlx' },
    { exchange: { exists: false } },
    'fatal dead-letter-exchange-missing',
  ],
  [
    'a named exchange without bindings',
    { ...good, 'x-dead-letter-exchange': 'dlx' },
    { exchange: exchange([]) },
    'fatal dead-letter-unbound',
  ],
  [
    'a named exchange of which nobody can tell',
    { ...good, 'x-dead-letter-exchange': 'dlx' },
    { exchange: { exists: true } },
    'warning dead-letter-unproven',
  ],
  ['a hand-over that a crash loses', without('x-dead-letter-strategy'), {}, 'warning dead-letter-at-most-once'],
  ['another time to live', { ...good, 'x-message-ttl': 5 }, {}, 'warning ttl-differs'],
  ['another type of queue', { ...good, 'x-queue-type': 'classic' }, {}, 'fatal queue-type-differs'],
  ['a limit below the turns and ten more', { ...good, 'x-delivery-limit': 13 }, {}, 'warning delivery-limit-low'],
])('%s is told', (_, found, rest, finding) => {
  expect(findings(found, rest)).toContain(finding)
})

test('a dead-letter queue of another type only warns, because nobody counts deliveries there', () => {
  const grave: WantedChannel = { address: { name: 'dead' }, role: 'dead-letter' }
  expect(findings({ durable: true, 'x-queue-type': 'classic' }, {}, grave)).toEqual(['warning queue-type-differs'])
})

test('a named exchange that is bound to the dead-letter queue is as good as ours', () => {
  expect(findings({ ...good, 'x-dead-letter-exchange': 'dlx' }, { exchange: exchange(['dead']) })).toEqual([])
})

test.each<[string, DeadLetterExchange, string[]]>([
  ['for the routing key', exchange(['dead', 'other']), []],
  ['for other routing keys', exchange(['other']), ['fatal dead-letter-unrouted']],
  ['by a topic that matches', exchange(['#.dead.#'], { type: 'topic' }), []],
  ['by a topic that does not match', exchange(['*.dead'], { type: 'topic' }), ['fatal dead-letter-unrouted']],
  ['by a fanout, which has no keys', exchange([''], { type: 'fanout' }), []],
  ['until the next restart', exchange(['dead'], { durable: false }), ['fatal dead-letter-exchange-not-durable']],
  [
    'to another queue',
    exchange([], { bindings: [{ destination: 'other', routing_key: 'dead' }] }),
    ['warning dead-letter-differs'],
  ],
])('a named exchange that is bound %s', (_, bound, expected) => {
  expect(findings({ ...good, 'x-dead-letter-exchange': 'dlx' }, { exchange: bound })).toEqual(expected)
})

test('a named exchange without a routing key of its own is asked about the name of the queue, and only warned about', () => {
  const { 'x-dead-letter-routing-key': _, ...keyless } = { ...good, 'x-dead-letter-exchange': 'dlx' } as QueueArguments
  expect(findings(keyless, { exchange: exchange(['work']) })).toEqual([])
  expect(findings(keyless, { exchange: exchange(['dead']) })).toEqual(['warning dead-letter-unproven'])
})

test.each([
  ['a.b', 'a.b', true],
  ['a.*', 'a.b', true],
  ['a.*', 'a', false],
  ['a.*', 'a.b.c', false],
  ['#', '', true],
  ['#', 'a.b', true],
  ['a.#', 'a', true],
  ['#.c', 'a.b.c', true],
  ['#.c', 'a.b', false],
  ['*.#.c', 'c', false],
])('a topic binding for %s takes %j: %j', (bindingKey, routingKey, expected) => {
  expect(takes('topic', bindingKey, routingKey)).toBe(expected)
})

test('a policy that overrides is named with what it sets, and one that cannot be read is unknown', () => {
  const policies = { definition: {}, by: 'strict', unreadable: ['(?i)odd'], overrides: ['delivery-limit'] }
  const told = compareQueue(wanted, { ...good, 'x-delivery-limit': 3 }, { ...around, policies })
  expect(told.map(({ severity, what }) => `${severity} ${what}`)).toEqual([
    'warning delivery-limit-low',
    'warning policy-overrides',
    'unknown policy-unreadable',
  ])
  expect(told[1]?.message).toContain('the policy strict, which sets delivery-limit to 3')
})

test('the limit of 20 that version 4 sets by itself is fatal without a dead-letter exchange', () => {
  const grave: WantedChannel = { address: { name: 'dead' }, role: 'dead-letter' }
  const bare = { durable: true, 'x-queue-type': 'quorum' }
  expect(findings(bare, {}, grave)).toEqual(['fatal delivery-limit-loses'])
  expect(findings(bare, { version: '3.10.8' }, grave)).toEqual([])
  expect(findings({ ...bare, 'x-delivery-limit': -1 }, {}, grave)).toEqual([])
  expect(findings({ ...bare, 'x-delivery-limit': -1 }, { version: '3.10.8' }, grave)).toContain('fatal delivery-limit-loses')
})
