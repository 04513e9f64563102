import type { Message as SqsMessage } from '@aws-sdk/client-sqs'
import { RedriveError } from '../../core/errors.ts'
import { headersFit, headersSize, utf8Length } from '../../core/headers.ts'
import type { Header, HeaderTable, HeaderValue, Message } from '../../core/message.ts'
import { present } from '../../core/present.ts'
import type { Capabilities } from '../capabilities.ts'
import {
  type Carried,
  carriedHeaders,
  carriedNote,
  hasFields,
  packEnvelope,
  restoredHeaders,
  unpackEnvelope,
} from '../packed-headers.ts'
import {
  type Attributes,
  bodyName,
  fromAttribute,
  isAttribute,
  isPlainText,
  mostAttributes,
  packedName,
  tellingType,
  toAttribute,
  weightOf,
} from './attributes.ts'

export const transportName = 'sqs'

/**
 * SQS holds a text and ten attributes without order. Headers that are text or bytes are attributes, as far as there is room, so that others
 * than us read them; everything else stands in one attribute of ours, as an envelope: id, type, key, headers of other kinds, and where
 * the attributes stand among the headers.
 */
export interface Outgoing {
  readonly MessageBody: string
  readonly MessageAttributes: Attributes
  /** In bytes, as Amazon counts. */
  readonly weight: number
}

/** What the envelope says beside the message. */
interface Notes extends Carried {
  /** What became of a body that is no text. */
  readonly body?: 'bytes' | 'empty' | 'null'
  /** Data types of attributes that found no room, by name. */
  readonly types?: HeaderTable
}

/** SQS takes no empty text. */
const nothing = '-'
const strictText = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** `always`: with an envelope even where there is nothing to say, which tells a message of ours that has no key. */
export function toOutgoing(message: Message, limits: Capabilities['messages'], always: boolean): Outgoing {
  checkSize(message, limits)
  const body = outgoingBody(message.body)
  const room = mostAttributes - 1 - (body.attribute ? 1 : 0)
  const carried = carriedHeaders(message.headers, room, isAttribute)
  const types = typesOf(message)
  const packed = message.headers.filter(([name], index) => carried.get(name) !== index)
  const envelope = packedEnvelope(message, packed, {
    ...(body.note && { body: body.note }),
    ...carriedNote(carried),
    ...ofPacked(types, packed),
  })
  const attributes: Attributes = body.attribute ? { [bodyName]: body.attribute } : {}
  for (const [name, index] of carried) attributes[name] = toAttribute(message.headers[index]?.[1] ?? '', types.get(name))
  if (always || packed.length > 0 || carried.size > 1 || body.note || hasFields(message))
    attributes[packedName] = { DataType: 'String', StringValue: envelope }
  return { MessageBody: body.text, MessageAttributes: attributes, weight: utf8Length(body.text) + weightOf(attributes) }
}

function checkSize({ body, headers }: Message, { maxBody, maxHeaders }: Capabilities['messages']): void {
  if (body !== null && !(body instanceof Uint8Array)) throw new RedriveError('bad-message', 'A body is bytes or null.')
  if (body !== null && body.byteLength > maxBody)
    throw new RedriveError('too-large', `The body has ${body.byteLength} bytes; at most ${maxBody} are allowed (maxMessage).`)
  if (!headersFit(headers, maxHeaders))
    throw new RedriveError('too-large', `The headers have ${headersSize(headers)} bytes; at most ${maxHeaders} are allowed.`)
}

interface OutgoingBody {
  readonly text: string
  readonly note?: NonNullable<Notes['body']>
  readonly attribute?: ReturnType<typeof toAttribute>
}

function outgoingBody(body: Uint8Array | null): OutgoingBody {
  if (body === null) return { text: nothing, note: 'null' }
  if (body.byteLength === 0) return { text: nothing, note: 'empty' }
  const text = asText(body)
  if (text !== undefined && isPlainText(text)) return { text }
  return { text: nothing, note: 'bytes', attribute: toAttribute(body, undefined) }
}

function asText(body: Uint8Array): string | undefined {
  try {
    return strictText.decode(body)
  } catch {
    return undefined
  }
}

function packedEnvelope(message: Message, headers: readonly Header[], notes: Notes): string {
  return escaped(packEnvelope(transportName, message, headers, notes))
}

/** JSON writes these two as they are, and Amazon does not take them. */
function escaped(json: string): string {
  return json.replaceAll('\uFFFE', '\\uFFFE').replaceAll('\uFFFF', '\\uFFFF')
}

/** A map, since a header may be called like what every object has. */
function typesOf({ native }: Message): ReadonlyMap<string, HeaderValue> {
  const types = native?.transport === transportName ? native.properties['attributeTypes'] : undefined
  return new Map(typeof types === 'object' && types !== null ? Object.entries(types as HeaderTable) : [])
}

function ofPacked(types: ReadonlyMap<string, HeaderValue>, packed: readonly Header[]): Notes {
  const kept = packed.flatMap(([name]) => [...types].filter(([typed]) => typed === name))
  return kept.length > 0 ? { types: Object.fromEntries(kept) } : {}
}

/** Made anew for each delivery: what a handler does to a body is not seen by the next one. */
export function toMessage(raw: SqsMessage): Message {
  const attributes: Attributes = { ...raw.MessageAttributes }
  const packed = attributes[packedName]?.StringValue
  const ours = packed === undefined ? undefined : unpackEnvelope(packed)
  const { [packedName]: _, ...others } = attributes
  return ours ? ofOurs(raw, ours, others) : ofOthers(raw, attributes)
}

function ofOurs(raw: SqsMessage, packed: Message, attributes: Attributes): Message {
  const notes = (packed.native?.properties ?? {}) as Notes
  const { [bodyName]: bytes, ...rest } = attributes
  const theirs = new Map(Object.entries(rest).map(([name, attribute]) => [name, fromAttribute(attribute)]))
  const headers = restoredHeaders(packed.headers, notes, theirs)
  const body = incomingBody(raw, notes.body, bytes && fromAttribute(bytes))
  return { ...packed, body, headers, native: nativeOf(raw, rest, notes.types) }
}

function incomingBody({ Body = '' }: SqsMessage, note: Notes['body'], bytes: HeaderValue | undefined): Uint8Array | null {
  if (note === 'null') return null
  if (note === 'empty') return new Uint8Array(0)
  return note === 'bytes' && bytes instanceof Uint8Array ? bytes : encoder.encode(Body)
}

function ofOthers(raw: SqsMessage, attributes: Attributes): Message {
  const key = raw.Attributes?.MessageGroupId
  return {
    body: encoder.encode(raw.Body ?? ''),
    headers: Object.entries(attributes).map(([name, attribute]): Header => [name, fromAttribute(attribute)]),
    ...(key !== undefined && { key }),
    native: nativeOf(raw, attributes, undefined),
  }
}

/** What the server says, under its own names, which is what readers of foreign letters ask for. */
function nativeOf(raw: SqsMessage, attributes: Attributes, packedTypes: HeaderTable | undefined): NonNullable<Message['native']> {
  const types = Object.entries(attributes).flatMap(([name, attribute]) => {
    const type = tellingType(attribute)
    return type === undefined ? [] : [[name, type] as const]
  })
  const attributeTypes = { ...packedTypes, ...Object.fromEntries(types) }
  const isTelling = Object.keys(attributeTypes).length > 0
  return {
    transport: transportName,
    properties: { ...present({ MessageId: raw.MessageId }), ...raw.Attributes, ...(isTelling && { attributeTypes }) },
  }
}
