import { expect, test } from 'vitest'
import type { WantedChannel } from '../topology.ts'
import { compareQueue, type Surroundings } from './compare-queue.ts'
import { argumentsFor, type QueueArguments } from './queue-arguments.ts'

const wanted: WantedChannel = { address: { name: 'work' }, role: 'work', deadLetterTo: { name: 'dead' }, maxTurns: 4 }
const around: Surroundings = { queueType: 'quorum', version: '4.0.5', graveExists: true, exchange: undefined }
const good: QueueArguments = { durable: true, ...argumentsFor(wanted, 'quorum', '4.0.5') }

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
    { exchange: { exists: true, destinations: [] } },
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
  ['another type of queue', { ...good, 'x-queue-type': 'classic' }, {}, 'warning queue-type-differs'],
  ['a limit below the turns and ten more', { ...good, 'x-delivery-limit': 13 }, {}, 'warning delivery-limit-low'],
])('%s is told', (_, found, rest, finding) => {
  expect(findings(found, rest)).toContain(finding)
})

test('a named exchange that is bound to the dead-letter queue is as good as ours', () => {
  const exchange = { exists: true, destinations: ['dead'] }
  expect(findings({ ...good, 'x-dead-letter-exchange': 'dlx' }, { exchange })).toEqual([])
})

test('the limit of 20 that version 4 sets by itself is fatal without a dead-letter exchange', () => {
  const grave: WantedChannel = { address: { name: 'dead' }, role: 'dead-letter' }
  const bare = { durable: true, 'x-queue-type': 'quorum' }
  expect(findings(bare, {}, grave)).toEqual(['fatal delivery-limit-loses'])
  expect(findings(bare, { version: '3.10.8' }, grave)).toEqual([])
  expect(findings({ ...bare, 'x-delivery-limit': -1 }, {}, grave)).toEqual([])
  expect(findings({ ...bare, 'x-delivery-limit': -1 }, { version: '3.10.8' }, grave)).toContain('fatal delivery-limit-loses')
})
