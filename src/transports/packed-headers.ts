import { decodeMessage, encodeEnvelope, envelopeIn } from '../core/envelope.ts'
import { RedriveError } from '../core/errors.ts'
import type { Header, Headers, HeaderTable, HeaderValue, Message } from '../core/message.ts'

/**
 * For brokers whose headers are few, plain or without order: what they can hold stands as theirs, so that others than us read it, and
 * everything else stands in one text, an envelope, with the places at which theirs stand among the headers.
 */
export interface Carried {
  /** Headers that the broker holds itself, each with its place. */
  readonly carried?: readonly (readonly [place: number, name: string])[]
}

/** Names that come once and fit, with their places. Those of the original stand before what a letter adds, and have the first right. */
export function carriedHeaders(headers: Headers, room: number, isTaken: (header: Header) => boolean): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [name] of headers) counts.set(name, (counts.get(name) ?? 0) + 1)
  const carried = new Map<string, number>()
  for (const [index, header] of headers.entries())
    if (carried.size < room && counts.get(header[0]) === 1 && isTaken(header)) carried.set(header[0], index)
  return carried
}

export function carriedNote(carried: ReadonlyMap<string, number>): Carried {
  return carried.size > 0 ? { carried: [...carried].map(([name, place]) => [place, name] as const) } : {}
}

/** Everything about a message but its body and the headers that the broker holds, with what else is to be known. */
export function packEnvelope(transport: string, message: Message, headers: readonly Header[], notes: object): string {
  const { native: _, ...rest } = message
  const properties = notes as HeaderTable
  try {
    return encodeEnvelope({ ...rest, headers, native: { transport, properties } })
  } catch (cause) {
    throw new RedriveError('bad-message', 'A header holds something that cannot be stored.', { cause })
  }
}

/** What bears our name and is not ours is `undefined`. */
export function unpackEnvelope(text: string): Message | undefined {
  const envelope = envelopeIn(text)
  return envelope && decodeMessage(envelope, null)
}

/** All headers at their places; what somebody added on the way stands behind them. */
export function restoredHeaders(
  packed: Headers,
  { carried }: Carried,
  theirs: ReadonlyMap<string, HeaderValue>,
): readonly Header[] {
  const headers = [...packed]
  const others = new Map(theirs)
  for (const [place, name] of placesIn(carried)) {
    const value = others.get(name)
    if (value !== undefined) headers.splice(place, 0, [name, value])
    others.delete(name)
  }
  return [...headers, ...others]
}

/** Anybody may have written the note: what names no place names none. */
function placesIn(carried: unknown): readonly (readonly [place: number, name: string])[] {
  const isPlace = (each: unknown): each is readonly [number, string] =>
    Array.isArray(each) && Number.isInteger(each[0]) && typeof each[1] === 'string'
  return Array.isArray(carried) ? carried.filter(isPlace) : []
}

/** Whether there is anything beside the body and the headers. */
export function hasFields({ id, key, type, contentType, correlationId }: Message): boolean {
  return [id, key, type, contentType, correlationId].some((field) => field !== undefined)
}
