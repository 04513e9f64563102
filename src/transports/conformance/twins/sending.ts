import { hasCode } from '../../../core/errors.ts'
import { headerText } from '../../../core/headers.ts'
import type { Header, HeaderValue, Message } from '../../../core/message.ts'
import type { Receipt, Transport } from '../../seam.ts'
import { mistake, placeOf, receivers, sends, type Twin, together } from './planting.ts'

const written: Receipt = { duplicate: false }
const small = 64 * 1024

function withBody(message: Message, change: (body: Uint8Array) => Uint8Array | null): Message {
  return message.body === null ? message : { ...message, body: change(message.body) }
}

function withEachHeader(message: Message, change: (value: HeaderValue) => HeaderValue): Message {
  return { ...message, headers: message.headers.map(([name, value]): Header => [name, change(value)]) }
}

function toLatin1(value: HeaderValue): HeaderValue {
  return typeof value === 'string' ? Buffer.from(value, 'latin1').toString('latin1') : value
}

function untilZero(body: Uint8Array): Uint8Array {
  const zero = body.indexOf(0)
  return zero === -1 ? body : body.subarray(0, zero)
}

/** The last message waits in a buffer until this connection does something else. */
const confirmsEarly: Twin = () => (transport) => {
  let waiting: (() => Promise<unknown>) | undefined
  const flush = async (): Promise<void> => {
    const before = waiting
    waiting = undefined
    await before?.()
  }
  return {
    ...transport,
    async send(address, message, options) {
      await flush()
      if (options !== undefined) return transport.send(address, message, options)
      await transport.measure(address)
      waiting = () => transport.send(address, message)
      return written
    },
    receive: (address, options) => flush().then(() => transport.receive(address, options)),
    browse: (address, page) => flush().then(() => transport.browse(address, page)),
    measure: (address) => flush().then(() => transport.measure(address)),
  }
}

const losesEveryHundredth: Twin = () => {
  let messages = 0
  return (transport) => ({
    ...transport,
    send: async (address, message, options) => (++messages % 100 === 0 ? written : transport.send(address, message, options)),
  })
}

/** Keeps what it was given instead of the bytes in it, as a broker in the same process might. */
const sharesTheSendersBuffer: Twin = () => {
  const bodies = new Map<string, Uint8Array | null>()
  return (transport) => ({
    ...transport,
    async send(address, message, options) {
      const receipt = await transport.send(address, message, options)
      bodies.set(placeOf(address, receipt.position), message.body)
      return receipt
    },
    ...receivers(transport, (receiver, address) => ({
      async take(max, wait) {
        const batch = await receiver.take(max, wait)
        return batch.map((delivery) => {
          const body = bodies.get(placeOf(address, delivery.position)) ?? delivery.message.body
          return { ...delivery, message: { ...delivery.message, body } }
        })
      },
    })),
  })
}

const sendsTogether: Twin = mistake((transport) => {
  const shared = together()
  return { send: (address, message, options) => shared(() => transport.send(address, message, options)) }
})

async function sendCut(transport: Transport, ...[address, message, options]: Parameters<Transport['send']>): Promise<Receipt> {
  try {
    return await transport.send(address, message, options)
  } catch (error) {
    if (!hasCode(error, 'too-large')) throw error
    return transport.send(address, { ...withBody(message, (body) => body.subarray(0, small)), headers: [] }, options)
  }
}

export const sendingTwins: Readonly<Record<string, Twin>> = {
  'confirms before it writes': confirmsEarly,
  'reports a failed send as success': mistake((transport) => ({
    send: (address, message, options) => transport.send(address, message, options).catch(() => written),
  })),
  'cuts what is too large': mistake((transport) => ({ send: (...send) => sendCut(transport, ...send) })),
  'cuts what is large': sends((message) => withBody(message, (body) => (body.length > small ? body.subarray(0, small) : body))),
  'fails sends together': sendsTogether,
  'loses one send of many': losesEveryHundredth,
  'ignores deduplication ids': mistake((transport) => ({
    send: (address, message, options) => transport.send(address, message, options?.delay ? { delay: options.delay } : {}),
  })),
  'deduplicates by body': mistake((transport) => ({
    send: (address, message, options) =>
      transport.send(address, message, { ...options, dedupId: Buffer.from(message.body ?? []).toString('base64') }),
  })),
  'ignores the delay of a send': mistake((transport) => ({
    send: (address, message, options) => transport.send(address, message, options?.dedupId ? { dedupId: options.dedupId } : {}),
  })),
  "hands out the sender's own buffer": sharesTheSendersBuffer,
  'makes nothing of empty bodies': sends((message) => withBody(message, (body) => (body.length === 0 ? null : body))),
  'empties null bodies': sends((message) => ({ ...message, body: message.body ?? new Uint8Array(0) })),
  'cuts at a zero byte': sends((message) => withBody(message, untilZero)),
  'decodes bodies as text': sends((message) =>
    withBody(message, (body) => new TextEncoder().encode(new TextDecoder().decode(body))),
  ),
  'flattens text to Latin-1': sends((message) => withEachHeader(message, toLatin1)),
  'turns header values into text': sends((message) => withEachHeader(message, (value) => headerText(value) ?? '')),
  'keeps one header of each name': sends((message) => ({ ...message, headers: [...new Map(message.headers)] })),
  'drops empty headers': sends((message) => ({ ...message, headers: message.headers.filter(([, value]) => value !== '') })),
  'forgets the correlation id': sends(({ correlationId: _, ...message }) => message),
}
