import { expect, test } from 'vitest'
import type { WantedChannel } from '../topology.ts'
import { differences, type Found, limitFor } from './compare.ts'

const work: WantedChannel = { address: { name: 'work' }, role: 'work' }

test.each<readonly [string, Partial<WantedChannel>, Found, 'normal' | 'fifo', readonly string[]]>([
  ['as it is wanted', {}, { topic: { type: 'NORMAL', queues: 8 } }, 'normal', []],
  ['a topic that takes everything', {}, { topic: { type: 'MIXED', queues: 8 } }, 'fifo', []],
  ['a topic of an older broker', {}, { topic: { queues: 8 } }, 'normal', []],
  ['another type', {}, { topic: { type: 'FIFO', queues: 8 } }, 'normal', ['fatal topic-type-differs']],
  ['order on a normal topic', { lanes: true }, { topic: { queues: 8 } }, 'normal', ['warning lanes-unsupported']],
  ['expiry', { ttl: 1 }, { topic: { queues: 8 } }, 'fifo', ['warning ttl-not-kept']],
  ['a patient group', { maxTurns: 5 }, { group: { retryMaxTimes: 15, ordered: false } }, 'normal', []],
  [
    'a hasty group',
    { maxTurns: 5 },
    { group: { retryMaxTimes: 14, ordered: false } },
    'normal',
    ['warning delivery-limit-too-low'],
  ],
  ['letters', { role: 'dead-letter' }, { group: { retryMaxTimes: 1, ordered: false } }, 'normal', []],
  ['too much order', {}, { group: { retryMaxTimes: 99, ordered: true } }, 'normal', ['warning group-keeps-order']],
  ['too little order', {}, { group: { retryMaxTimes: 99, ordered: false } }, 'fifo', ['fatal group-keeps-no-order']],
])('%s', (_, wanted, found, topics, told) => {
  const findings = differences({ ...work, ...wanted }, found, { topics, group: 'redrive' })
  expect(findings.map(({ severity, what }) => `${severity} ${what}`)).toEqual(told)
})

test('a limit leaves room above the turns of the policy', () => {
  expect([limitFor(1), limitFor(200)]).toEqual([100, 210])
})
