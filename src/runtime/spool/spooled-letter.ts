import { decodeMessage, encodeEnvelope, parseEnvelope } from '../../core/envelope.ts'
import type { Message } from '../../core/message.ts'
import type { FailureEvent } from '../events.ts'

/** A letter as it waits in the spool, with all that is needed to send it and to tell of it, also by another process. */
export interface SpooledLetter {
  /** The value of `redrive-letter`. */
  readonly id: string
  readonly grave: 'dead-letter' | 'invalid'
  readonly to: string
  readonly dedupId: string
  readonly event: FailureEvent
  readonly message: Message
}

interface Facts extends Omit<SpooledLetter, 'message'> {
  readonly envelope: string
  readonly hasBody: boolean
}

/** The length of the facts, the facts as JSON, then the body as it is. */
export function encodeLetter({ message, ...rest }: SpooledLetter): Uint8Array {
  const own: Facts = { ...rest, envelope: encodeEnvelope(message), hasBody: message.body !== null }
  const facts = Buffer.from(JSON.stringify(own))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(facts.length)
  return Buffer.concat([length, facts, message.body ?? new Uint8Array()])
}

export function decodeLetter(content: Uint8Array): SpooledLetter {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const end = 4 + bytes.readUInt32BE(0)
  const { envelope, hasBody, ...rest } = JSON.parse(bytes.toString('utf8', 4, end)) as Facts
  return { ...rest, message: decodeMessage(parseEnvelope(envelope), hasBody ? new Uint8Array(bytes.subarray(end)) : null) }
}
