import { Buffer } from 'node:buffer'
import { decodeMessage, type Envelope, envelopeIn } from '../../core/envelope.ts'
import type { Message } from '../../core/message.ts'
import type { Stored } from '../leases/protocol.ts'
import type { Answer } from './connection.ts'

/** What other programs call the field that holds a message. The first that is there is taken. */
const bodyFields = ['payload', 'body', 'data', 'message', 'value']
const ours = { envelope: Buffer.from('envelope'), body: Buffer.from('body') } as const

export interface StoredEntry extends Stored {
  /** Its envelope is one of ours. */
  readonly isOurs: boolean
}

/** An entry of a stream as a message. Those of other programs have no envelope: one of their fields is the body, the others are headers. */
export function storedIn(fields: Answer, replaced: Answer): StoredEntry {
  const own = parsedEnvelope(valueIn(fields, ours.envelope))
  const newer = replaced === null ? undefined : parsedEnvelope(replaced as Buffer)
  if (own) return { envelope: newer ?? own, body: bytesOf(valueIn(fields, ours.body)), isOurs: true }
  const { envelope, body } = foreign(pairsIn(fields))
  return { envelope: newer ?? envelope, body, isOurs: false }
}

export function messageIn(fields: Answer, replaced: Answer): Message {
  const { envelope, body } = storedIn(fields, replaced)
  return decodeMessage(envelope, body)
}

/** Compared as bytes, so that no text is made of the name of every field of every entry. */
function valueIn(fields: Answer, wanted: Buffer): Buffer | undefined {
  const list = fields as readonly Buffer[]
  for (let at = 0; at < list.length; at += 2) if (list[at]?.equals(wanted)) return list[at + 1]
  return undefined
}

type Pair = readonly [name: string, value: Buffer]

function pairsIn(fields: Answer): readonly Pair[] {
  const list = fields as readonly Buffer[]
  return Array.from({ length: list.length / 2 }, (_, index) => [String(list[index * 2]), list[index * 2 + 1] as Buffer])
}

function fieldOf(pairs: readonly Pair[], wanted: string): Buffer | undefined {
  return pairs.find(([name]) => name === wanted)?.[1]
}

/** What is no envelope of ours was written by somebody else, whatever its field is called. */
function parsedEnvelope(text: Buffer | null | undefined): Envelope | undefined {
  return text ? envelopeIn(text.toString()) : undefined
}

function foreign(pairs: readonly Pair[]): Stored {
  const bodyField = bodyFields.find((name) => fieldOf(pairs, name) !== undefined)
  const headers = pairs.filter(([name]) => name !== bodyField)
  const texts = headers.map(([name, value]): [string, string] => [name, value.toString()])
  const body = bodyField === undefined ? Buffer.from(JSON.stringify(Object.fromEntries(texts))) : fieldOf(pairs, bodyField)
  return { envelope: [1, null, null, null, null, null, texts, null], body: bytesOf(body) }
}

/** Plain bytes where they lie: a buffer of Node would behave otherwise in a handler's hands, and a copy of each body costs more than reading it. */
function bytesOf(bytes: Buffer | undefined): Uint8Array | null {
  return bytes === undefined ? null : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
