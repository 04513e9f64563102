import { RedriveError } from '../../core/errors.ts'
import { header, headersFit, headersSize, headerText } from '../../core/headers.ts'
import type { HeaderValue, Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'
import { type ByteWriter, writeBytes, writeSigned, writeText } from './byte-writer.ts'
import { dueHeader, fields, hidden } from './message.ts'

/** A record as it is to be produced. */
export interface NewRecord {
  readonly key: Buffer | undefined
  /** Key, value and headers as they are written: all that does not depend on where in its batch the record stands. */
  readonly content: Buffer
}

/** All records are written here first, because only then it is known how long they are. */
const desk: ByteWriter = { bytes: Buffer.allocUnsafe(16 * 1024), at: 0 }
/** A desk that one large message made large is not kept. */
const largestDesk = 256 * 1024

export function toRecord(message: Message, due: number | undefined, limits: Capabilities['messages']): NewRecord {
  checkSize(message, limits)
  const key = message.key === undefined ? undefined : Buffer.from(message.key)
  const added = fieldHeaders(message, due)
  let own = 0
  for (const [name] of message.headers) if (!hidden.has(name)) own++
  desk.at = 0
  writeBytes(desk, key ?? null)
  writeBytes(desk, message.body)
  writeSigned(desk, own + added.length)
  for (const [name, value] of message.headers) {
    if (hidden.has(name)) continue
    writeText(desk, name)
    writeValue(desk, name, value)
  }
  for (const [name, text] of added) {
    writeText(desk, name)
    writeText(desk, text)
  }
  return { key, content: takeFromDesk() }
}

function takeFromDesk(): Buffer {
  const content = Buffer.from(desk.bytes.subarray(0, desk.at))
  if (desk.bytes.length > largestDesk) desk.bytes = Buffer.allocUnsafe(largestDesk)
  return content
}

/** What a message has and a record has not. */
function fieldHeaders(message: Message, due: number | undefined): readonly (readonly [string, string])[] {
  const added: [string, string][] = []
  for (const { field, ours, theirs } of fields) {
    const value = message[field]
    if (value === undefined) continue
    const said = header(message.headers, theirs)
    if (said === undefined || headerText(said) !== value) added.push([ours, value])
  }
  if (due !== undefined) added.push([dueHeader, String(due)])
  return added
}

function writeValue(writer: ByteWriter, name: string, value: HeaderValue): void {
  if (value instanceof Uint8Array) writeBytes(writer, value)
  else writeText(writer, textOf(name, value))
}

function textOf(name: string, value: HeaderValue): string {
  const text = value === null ? '' : headerText(value)
  if (text !== undefined) return text
  throw new RedriveError('bad-message', `Kafka cannot hold this message: its header "${name}" is a list or a table.`)
}

function checkSize({ body, headers }: Message, { maxBody, maxHeaders }: Capabilities['messages']): void {
  if (body !== null && body.byteLength > maxBody)
    throw new RedriveError('too-large', `The body has ${body.byteLength} bytes; at most ${maxBody} are allowed (maxBody).`)
  if (!headersFit(headers, maxHeaders))
    throw new RedriveError('too-large', `The headers have ${headersSize(headers)} bytes; at most ${maxHeaders} are allowed.`)
}
