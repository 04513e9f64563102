import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { ServiceBusClient } from '@azure/service-bus'
import { expect, test, vi } from 'vitest'
import { startServer } from '../../../test/servicebus/server.ts'
import { linkOf, takeOver, waitingFor } from './inside-sdk.ts'

const patience = { timeout: 120_000, interval: 10 }

test('the SDK is inside as it is known', { timeout: 240_000 }, async () => {
  const server = await startServer()
  server.namespace.createQueue('work')
  const client = new ServiceBusClient(server.connectionString)
  await client.createSender('work').sendMessages([{ body: 'a' }, { body: 'b' }])
  const receiver = client.createReceiver('work')
  const arrived: ServiceBusReceivedMessage[] = []
  receiver.subscribe(
    { processMessage: async () => {}, processError: async () => {} },
    { autoCompleteMessages: false, maxConcurrentCalls: 1 },
  )
  const ask = takeOver(receiver, (message) => void arrived.push(message))
  await vi.waitFor(() => expect(arrived).toHaveLength(1), patience)
  expect(waitingFor(receiver)?.size).toBe(0)
  expect(linkOf(receiver)).toMatchObject({ close: expect.any(Function), credit: 0 })
  ask?.(1)
  await vi.waitFor(() => expect(arrived.map(({ body }) => body)).toEqual(['a', 'b']), patience)
  await client.close()
  await server.stop()
})

const handlers = { processMessage: async () => {} }
const helper = { addCredit() {} }

test.each<[string, object]>([
  ['nothing', {}],
  ['a stream that has neither', { _streamingReceiver: {} }],
  ['no callbacks', { _streamingReceiver: { _messageHandlers: handlers, _receiverHelper: helper } }],
  ['callbacks without that for messages', { _streamingReceiver: { _messageHandlers: () => ({}), _receiverHelper: helper } }],
  ['no credit', { _streamingReceiver: { _messageHandlers: () => handlers } }],
  ['credit of another kind', { _streamingReceiver: { _messageHandlers: () => handlers, _receiverHelper: { addCredit: 1 } } }],
])('where there is %s, nothing is taken over', (_, inside) => {
  const receiver = inside as unknown as ServiceBusReceiver & { _streamingReceiver?: object }
  const before = { ...receiver._streamingReceiver }
  expect(takeOver(receiver, () => {})).toBeUndefined()
  expect({ ...receiver._streamingReceiver }).toEqual(before)
})

/** A receiver whose link is open, and what came of a message that it brings. */
function stage(arrived: () => void, read: () => ServiceBusReceivedMessage | undefined) {
  const log: string[] = []
  const stream = {
    _link: { isOpen: () => true },
    _messageHandlers: () => handlers,
    _receiverHelper: helper,
    _onAmqpMessage: async (_: object) => void log.push('by the SDK'),
  }
  takeOver({ _streamingReceiver: stream } as unknown as ServiceBusReceiver, arrived, read)
  return { log, bring: () => stream._onAmqpMessage({}) }
}

test('a message that cannot be read here, for whatever reason, is left to the SDK', async () => {
  const { log, bring } = stage(
    () => {},
    () => {
      throw new Error('unreadable')
    },
  )
  await bring()
  expect(log).toEqual(['by the SDK'])
})

test('one that was read is not given to the SDK too, whatever becomes of it', () => {
  const arrived = () => {
    throw new Error('a fault of ours')
  }
  const { log, bring } = stage(arrived, () => ({}) as ServiceBusReceivedMessage)
  expect(bring).toThrow('a fault of ours')
  expect(log).toEqual([])
})
