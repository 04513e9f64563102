import { randomUUID } from 'node:crypto'
import rhea, { type Typed } from 'rhea'

/**
 * A message as a broker sees it. What the sender wrote (properties, application properties, body) stays the bytes that came, so that
 * every AMQP type survives; only the header and the annotations, which belong to the broker, are written anew.
 */
export interface StoredMessage {
  readonly ttl: number | undefined
  readonly annotations: readonly Typed[]
  readonly messageId: string
  readonly sessionId: string | undefined
  readonly subject: string | undefined
  readonly correlationId: string | undefined
  readonly properties: Buffer
  readonly applicationProperties: Buffer | undefined
  readonly body: readonly Buffer[]
  readonly size: number
}

/** Rhea's encoder, of which its types leave out the most. */
const types = rhea.types as typeof rhea.types & {
  readonly Reader: new (bytes: Buffer) => { read(): Typed }
  readonly Writer: new () => { write(value: Typed): void; toBuffer(): Buffer }
  List32(items: readonly Typed[]): Typed
  Map32(flat: readonly Typed[]): Typed
}
const codes = { header: 0x70, annotations: 0x72, properties: 0x73, application: 0x74, data: 0x75, value: 0x77 } as const
/** Where fields stand in the properties of a message. */
const field = { messageId: 0, subject: 3, correlationId: 5, groupId: 10 } as const

interface Section {
  readonly code: number
  readonly raw: Buffer
}

function splitSections(bytes: Buffer): Section[] {
  const sections: Section[] = []
  for (let at = 0; at < bytes.length; ) {
    const code = sectionCode(bytes, at)
    const end = skipValue(bytes, at + (bytes[at + 1] === 0x53 ? 3 : 10))
    sections.push({ code, raw: bytes.subarray(at, end) })
    at = end
  }
  return sections
}

function sectionCode(bytes: Buffer, at: number): number {
  if (bytes[at] !== 0) throw new Error('A section of a message must be a described value.')
  return bytes[at + 1] === 0x53 ? bytes.readUInt8(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
}

/** The upper half of a type code says how many bytes a value has. */
const widths: Readonly<Record<number, number>> = { 4: 0, 5: 1, 6: 2, 7: 4, 8: 8, 9: 16 }

function skipValue(bytes: Buffer, at: number): number {
  const kind = bytes.readUInt8(at) >>> 4
  const width = widths[kind]
  if (width !== undefined) return at + 1 + width
  return kind % 2 === 0 ? at + 2 + bytes.readUInt8(at + 1) : at + 5 + bytes.readUInt32BE(at + 1)
}

const read = (section: Section | undefined): readonly Typed[] =>
  section === undefined ? [] : ((new types.Reader(section.raw).read().value ?? []) as readonly Typed[])

function write(code: number, content: Typed): Buffer {
  const writer = new types.Writer()
  writer.write(types.described(types.wrap_ulong(code), content))
  return writer.toBuffer()
}

export function parseMessage(bytes: Buffer): StoredMessage {
  const sections = splitSections(bytes)
  const find = (code: number): Section | undefined => sections.find((section) => section.code === code)
  const properties = [...read(find(codes.properties))]
  const text = (index: number): string | undefined => {
    const value: unknown = properties[index]?.value
    return value === undefined || value === null ? undefined : String(value)
  }
  // The broker gives an id of its own to a message that has none.
  const given = text(field.messageId)
  const messageId = given ?? randomUUID().replaceAll('-', '')
  if (given === undefined) properties[field.messageId] = types.wrap_string(messageId)
  const ttl: unknown = read(find(codes.header))[2]?.value
  return {
    ttl: typeof ttl === 'number' ? ttl : undefined,
    annotations: read(find(codes.annotations)),
    messageId,
    sessionId: text(field.groupId),
    subject: text(field.subject),
    correlationId: text(field.correlationId),
    properties: given === undefined ? wrapped(properties) : rawOf(find(codes.properties)),
    applicationProperties: find(codes.application)?.raw,
    body: sections.filter(({ code }) => code >= codes.data && code <= codes.value).map(({ raw }) => raw),
    size: bytes.length,
  }
}

function rawOf(section: Section | undefined): Buffer {
  return section?.raw ?? Buffer.alloc(0)
}

function wrapped(properties: readonly Typed[]): Buffer {
  const filled = Array.from(properties, (value) => value ?? types.wrap(null))
  return write(codes.properties, types.List32(filled))
}

/** The value of an annotation that came with the message. */
export function annotation({ annotations }: StoredMessage, name: string): unknown {
  const at = annotations.findIndex((typed, index) => index % 2 === 0 && typed.value === name)
  return at < 0 ? undefined : annotations[at + 1]?.value
}

/** Application properties as plain values, for filters. */
export function applicationValues({ applicationProperties }: StoredMessage): Readonly<Record<string, unknown>> {
  if (applicationProperties === undefined) return {}
  const flat = read({ code: codes.application, raw: applicationProperties })
  return Object.fromEntries(
    flat.flatMap((name, index) => (index % 2 === 0 ? [[String(name.value), flat[index + 1]?.value]] : [])),
  )
}

/** Adds or replaces application properties; the others keep their types. */
export function withProperties(message: StoredMessage, added: Readonly<Record<string, unknown>>): StoredMessage {
  const { applicationProperties: raw } = message
  const flat = raw === undefined ? [] : read({ code: codes.application, raw })
  const kept = flat.filter((_, index) => !Object.hasOwn(added, String(flat[index - (index % 2)]?.value)))
  const news = Object.entries(added).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [types.wrap_string(name), types.wrap(value)],
  )
  return { ...message, applicationProperties: write(codes.application, types.Map32([...kept, ...news])) }
}

export interface BrokersWords {
  readonly deliveryCount: number
  readonly annotations: Readonly<Record<string, Typed>>
}

/** As it is sent to a receiver. */
export function encodeMessage(message: StoredMessage, { deliveryCount, annotations }: BrokersWords): Buffer {
  const header = [
    types.wrap_boolean(true),
    types.wrap_ubyte(4),
    message.ttl === undefined ? types.wrap(null) : types.wrap_uint(message.ttl),
    types.wrap_boolean(false),
    types.wrap_uint(deliveryCount),
  ]
  const sent = message.annotations.filter((_, index, all) => !Object.hasOwn(annotations, String(all[index - (index % 2)]?.value)))
  const own = Object.entries(annotations).flatMap(([name, value]) => [types.wrap_symbol(name), value])
  return Buffer.concat([
    write(codes.header, types.List32(header)),
    write(codes.annotations, types.Map32([...sent, ...own])),
    message.properties,
    message.applicationProperties ?? Buffer.alloc(0),
    ...message.body,
  ])
}

/** A batch is an envelope whose every data section is an encoded message. */
export function unpackBatch(bytes: Buffer): Buffer[] {
  return splitSections(bytes)
    .filter(({ code }) => code === codes.data)
    .map(({ raw }) => new types.Reader(raw).read().value as Buffer)
}
