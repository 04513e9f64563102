import { createRequire } from 'node:module'
import { ServiceBusClient, type ServiceBusMessage, type ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { expect, test, vi } from 'vitest'
import { startServer } from '../../../test/servicebus/server.ts'
import { takeOver } from './inside-sdk.ts'
import type { LongNumbers } from './library.ts'
import { toMessage } from './message.ts'
import { type Arrival, receivedFrom } from './received.ts'
import type { RheaTypes } from './rhea.ts'

const long: LongNumbers = createRequire(import.meta.resolve('@azure/service-bus'))('long')
const types = rhea.types as unknown as RheaTypes
const patience = { timeout: 120_000, interval: 10 }

/** With all that a sender can say, and with nothing. */
const messages: readonly ServiceBusMessage[] = [
  {
    body: Buffer.from('everything'),
    messageId: 'm-1',
    correlationId: 'c-1',
    subject: 'order',
    contentType: 'application/json',
    to: 'somebody',
    replyTo: 'me',
    replyToSessionId: 'mine',
    sessionId: 'key',
    partitionKey: 'key',
    timeToLive: 60_000,
    applicationProperties: { text: 'a', number: 7, truth: true, when: new Date(5) },
  },
  { body: Buffer.from('nothing') },
  { body: Buffer.alloc(0) },
]

/** One message as the SDK makes it, and as we do. */
interface Both {
  readonly sdk: ServiceBusReceivedMessage
  readonly ours: ServiceBusReceivedMessage | undefined
}

async function receiveBoth(sent: readonly ServiceBusMessage[]): Promise<Both[]> {
  const server = await startServer()
  server.namespace.createQueue('work')
  const client = new ServiceBusClient(server.connectionString)
  await client.createSender('work').sendMessages([...sent])
  const receiver = client.createReceiver('work', { skipParsingBodyAsJson: true, skipConvertingDate: true })
  const ours: (ServiceBusReceivedMessage | undefined)[] = []
  const bySdk: ServiceBusReceivedMessage[] = []
  receiver.subscribe(
    { processMessage: async () => {}, processError: async () => {} },
    { autoCompleteMessages: false, maxConcurrentCalls: sent.length },
  )
  takeOver(
    receiver,
    (message) => void bySdk.push(message),
    (arrival) => void ours.push(receivedFrom(arrival, long)),
  )
  await vi.waitFor(() => expect(bySdk).toHaveLength(sent.length), patience)
  const both = bySdk.map((sdk, index) => ({ sdk, ours: ours[index] }))
  await client.close()
  await server.stop()
  return both
}

/** What the transport looks at, and what the SDK wants to see again of a message that it settles or renews. */
function seen(received: ServiceBusReceivedMessage | undefined): unknown {
  if (!received) return undefined
  const { deliveryCount, sequenceNumber, lockToken, lockedUntilUtc, enqueuedTimeUtc, sessionId, applicationProperties } = received
  const numbers = { deliveryCount, position: String(sequenceNumber), lockedUntilUtc, enqueuedTimeUtc }
  return { ...numbers, lockToken, sessionId, applicationProperties, message: toMessage(types, received) }
}

test('a message is read as the SDK reads it', { timeout: 240_000 }, async () => {
  const both = await receiveBoth(messages)
  expect(both.map(({ ours }) => seen(ours))).toEqual(both.map(({ sdk }) => seen(sdk)))
  expect(both.map(({ ours }) => String(ours?.body))).toEqual(['everything', 'nothing', ''])
})

test('what stands in for a message, without its link, is the same message', { timeout: 240_000 }, async () => {
  const [both] = await receiveBoth(messages.slice(0, 1))
  const standIn = Object.create(both?.ours ?? {}, { delivery: { value: {} } })
  expect(seen(standIn)).toEqual(seen(both?.sdk))
  expect('_rawAmqpMessage' in standIn && 'body' in standIn).toBe(true)
})

test('a number that is larger than a number can hold is kept whole', () => {
  const content = Buffer.from('x')
  const annotations = { 'x-opt-sequence-number': Buffer.from('7fffffffffffffff', 'hex') }
  const message = { body: { typecode: 0x75, content }, message_annotations: annotations }
  expect(String(receivedFrom({ message, delivery: { tag: Buffer.alloc(16) } }, long)?.sequenceNumber)).toBe('9223372036854775807')
})

const data = { typecode: 0x75, content: Buffer.from('x') }
const tag = Buffer.alloc(16)

test.each<[string, Arrival]>([
  ['nothing', {}],
  ['no body', { message: {}, delivery: { tag } }],
  ['a value', { message: { body: 'text' as never }, delivery: { tag } }],
  ['several sections', { message: { body: { typecode: 0x75, content: [Buffer.from('x')] } }, delivery: { tag } }],
  ['a sequence', { message: { body: { typecode: 0x76, content: [] } }, delivery: { tag } }],
  ['no delivery', { message: { body: data } }],
  ['no token', { message: { body: data }, delivery: { tag: Buffer.alloc(0) } }],
  ['a token of another kind', { message: { body: data }, delivery: { tag: 'text' } }],
])('%s is left to the SDK', (_, arrival) => {
  expect(receivedFrom(arrival, long)).toBeUndefined()
})
