import type { AmqpAnnotatedMessage } from '@azure/core-amqp'
import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import type { Message } from '../../core/message.ts'
import { badMessage } from './bad-message.ts'

/**
 * A body is bytes. Most are written as such; some senders (JMS among them) write an AMQP value: text is then its UTF-8, and is written
 * back as text. What else a value may be is shown, and sent again, as JSON.
 */
export function bodyBytes({ body }: ServiceBusReceivedMessage): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (Array.isArray(body) && body.length > 0 && body.every((part) => part instanceof Uint8Array)) return Buffer.concat(body)
  if (typeof body === 'string') return Buffer.from(body)
  return body === undefined || body === null ? new Uint8Array() : Buffer.from(JSON.stringify(body))
}

export function isText({ body }: ServiceBusReceivedMessage): boolean {
  return typeof body === 'string'
}

export function bodyFor({ body }: Message, bodyType: unknown): Pick<AmqpAnnotatedMessage, 'body' | 'bodyType'> {
  if (body === null) throw badMessage('it has no body, and it does not tell that from an empty one')
  // A copy, because the message may leave later than its sender thinks.
  const bytes = Buffer.from(body)
  return bodyType === 'value' ? { body: bytes.toString(), bodyType } : { body: bytes, bodyType: 'data' }
}
