import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import rhea from 'rhea'
import { expect, test } from 'vitest'
import { completeByLink, forgetDelivery, rejectByLink } from './by-link.ts'
import type { RheaTypes, Typed } from './rhea.ts'

const types = rhea.types as unknown as RheaTypes & {
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer }
}

function written(value: Typed): string {
  const writer = new types.Writer()
  writer.write(value)
  return writer.toBuffer().toString('hex')
}

interface Waiting {
  resolve(): void
  reject(cause: unknown): void
}

/** A link of the SDK with one delivery, and everything that happened to them. */
function stage(changes: { readonly delivery?: object; readonly receiver?: object } = {}) {
  const log: string[] = []
  const table = new Map<number, Waiting>()
  const socket = { cork: () => void log.push('cork'), uncork: () => void log.push('uncork') }
  const delivery = {
    id: 7,
    remote_settled: false,
    link: { is_open: () => true, connection: { socket } },
    accept: () => void log.push('accept'),
    update: (_: undefined, state: Typed) => void log.push(written(state)),
    ...changes.delivery,
  }
  const receiver = changes.receiver ?? { _streamingReceiver: { _deliveryDispositionMap: table } }
  const answer = { done: () => void log.push('done'), failed: (cause: unknown) => void log.push(`failed: ${cause}`) }
  const received = { delivery } as unknown as ServiceBusReceivedMessage
  return { log, table, answer, received, receiver: receiver as unknown as ServiceBusReceiver }
}

test('a completion is written, and whoever waits is told what the link was answered', () => {
  const { log, table, answer, received, receiver } = stage()
  expect(completeByLink(receiver, received, answer)).toBe(true)
  expect(log).toEqual(['accept', 'cork'])
  table.get(7)?.resolve()
  expect(log).toEqual(['accept', 'cork', 'done'])
})

test('a refusal is told as one', () => {
  const { log, table, answer, received, receiver } = stage({})
  completeByLink(receiver, received, answer)
  table.get(7)?.reject('lock lost')
  expect(log.at(-1)).toBe('failed: lock lost')
})

test('a rejection is written as rhea writes it, by the link of a session too', () => {
  const table = new Map<number, Waiting>()
  const { log, answer, received, receiver } = stage({ receiver: { _messageSession: { _deliveryDispositionMap: table } } })
  const { message } = rhea as unknown as { message: { rejected(fields: object): { described(): Typed } } }
  const info = { DeadLetterReason: 'PoisonMessage', 'redrive-position': '12' }
  expect(rejectByLink(receiver, received, answer, { types, texts: Object.entries(info).flat() })).toBe(true)
  const whole = message.rejected({ error: { condition: 'com.microsoft:dead-letter', info } }).described()
  expect(log[0]).toBe(written(whole))
  table.get(7)?.resolve()
  expect(log.at(-1)).toBe('done')
})

test('what is written in one turn leaves together, after it was written', async () => {
  const { log, answer, received, receiver } = stage()
  completeByLink(receiver, received, answer)
  completeByLink(receiver, received, answer)
  process.nextTick(() => void log.push('next'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(log).toEqual(['accept', 'cork', 'accept', 'uncork', 'next'])
  completeByLink(receiver, received, answer)
  expect(log.slice(-2)).toEqual(['accept', 'cork'])
})

test('nothing waits on its way for the answer to what was sent before', () => {
  const told: boolean[] = []
  const socket = { cork() {}, uncork() {}, setNoDelay: (is: boolean) => void told.push(is) }
  const link = { is_open: () => true, connection: { socket } }
  for (const id of [7, 8]) {
    const { answer, received, receiver } = stage({ delivery: { id, link } })
    completeByLink(receiver, received, answer)
  }
  expect(told).toEqual([true])
})

test('a socket that cannot hold anything back is written to as it is', () => {
  const { log, answer, received, receiver } = stage({ delivery: { link: { is_open: () => true, connection: { socket: {} } } } })
  expect(completeByLink(receiver, received, answer)).toBe(true)
  expect(log).toEqual(['accept'])
})

test.each<[string, object, object]>([
  ['is marked as settled, and nothing is written', { delivery: { settled: false } }, { delivery: { settled: true } }],
  ['stays as it is where that is not known', { delivery: {} }, { delivery: {} }],
  ['may be absent', {}, {}],
])('a delivery that is forgotten %s', (_, received, after) => {
  forgetDelivery(received as ServiceBusReceivedMessage)
  expect(received).toEqual(after)
})

const open = { is_open: () => true, connection: {} }

test.each<[string, { readonly delivery?: object; readonly receiver?: object }]>([
  ['a receiver without a table', { receiver: { _streamingReceiver: {} } }],
  ['a receiver whose table is no map', { receiver: { _streamingReceiver: { _deliveryDispositionMap: {} } } }],
  ['a receiver that is not known', { receiver: {} }],
  ['a link that is closed', { delivery: { link: { ...open, is_open: () => false } } }],
  ['a link that does not say whether it is open', { delivery: { link: {} } }],
  ['a delivery without a link', { delivery: { link: undefined } }],
  ['a delivery that was settled', { delivery: { remote_settled: true } }],
  ['a delivery without a number', { delivery: { id: undefined } }],
  ['a delivery that cannot be accepted', { delivery: { accept: undefined } }],
  ['a delivery that cannot be updated', { delivery: { update: undefined } }],
])('%s is left to the SDK, and nobody waits', (_, changes) => {
  const { log, table, answer, received, receiver } = stage(changes)
  expect(completeByLink(receiver, received, answer)).toBe(false)
  expect(rejectByLink(receiver, received, answer, { types, texts: [] })).toBe(false)
  expect(table.size).toBe(0)
  expect(log).toEqual([])
})
