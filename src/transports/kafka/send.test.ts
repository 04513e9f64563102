import { expect, it, vi } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { codes } from './answers.ts'
import type { Batch } from './batches.ts'
import type { Cluster } from './cluster.ts'
import type { NewRecord } from './new-record.ts'
import type { Settings } from './options.ts'
import { createProducing } from './send.ts'

/** What the broker answers to one batch after the other; a text is a connection that broke before it did. */
const broker = vi.hoisted(() => ({ answers: [] as (number | 'lost')[], asked: [] as string[] }))

vi.mock('./produce.ts', () => ({
  async produce(_kafka: unknown, _connection: unknown, batches: readonly Batch[]) {
    const answer = broker.answers.shift() ?? codes.none
    for (const { producer, sequence } of batches) broker.asked.push(`${producer.id}/${sequence}`)
    if (answer === 'lost') throw new RedriveError('unsure', 'The connection was lost.')
    return new Map([['orders:0', { code: answer, offset: 7n }]])
  },
}))

const record: NewRecord = { key: Buffer.from('k'), content: Buffer.alloc(10) }

function producing() {
  broker.answers = []
  broker.asked = []
  let producers = 0n
  const kafka = {
    murmur2: () => 0,
    initProducerIdV4: { api: { async: async () => ({ producerId: ++producers, producerEpoch: 0 }) } },
  }
  const orders = { name: 'orders', leaders: [1], replicas: 1 }
  const cluster = { kafka: Promise.resolve(kafka), topic: async () => orders, knownTopic: () => orders, forget() {} }
  const connections = { any: async () => ({}), broker: async () => ({}) }
  const clock = virtualClock()
  const settings = { clock, answerWithin: 10_000 } as unknown as Settings
  return { clock, ...createProducing({ ...cluster, ...connections } as unknown as Cluster, settings) }
}

async function outcomeOf(send: Promise<unknown>): Promise<unknown> {
  return send.then(
    () => 'written',
    (error: RedriveError) => error.code,
  )
}

it.each([
  ['refused', codes.topicAuthorization],
  ['refused as too large', codes.messageTooLarge],
])('what may have been written before it was %s lends its numbers to nobody', async (_, code) => {
  const { clock, send } = producing()
  broker.answers = ['lost', code]
  const doubtful = outcomeOf(send('orders', record))
  await clock.advance(1000)
  expect(await doubtful).toBe('unsure')
  const next = outcomeOf(send('orders', record))
  await clock.advance(1000)
  expect([await next, broker.asked]).toEqual(['written', ['1/0', '1/0', '2/0']])
})

it('what was refused for certain says so, and the next one has its number', async () => {
  const { clock, send } = producing()
  broker.answers = [codes.topicAuthorization]
  const refused = outcomeOf(send('orders', record))
  await clock.advance(1000)
  const next = outcomeOf(send('orders', record))
  await clock.advance(1000)
  expect([await refused, await next, broker.asked]).toEqual(['access-denied', 'written', ['1/0', '1/0']])
})

it('what failed on the broker for a reason that it does not tell may have been written', async () => {
  const { clock, send } = producing()
  broker.answers = [codes.unknownServerError]
  const failed = outcomeOf(send('orders', record))
  await clock.advance(1000)
  expect(await failed).toBe('unsure')
})
