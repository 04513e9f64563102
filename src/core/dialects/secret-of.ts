import { fromBase64 } from '../base64.ts'
import { globAnyCase } from '../glob.ts'
import { withoutMembers } from '../json-members.ts'
import type { HeaderValue, Message } from '../message.ts'
import { textsOf } from '../quotes.ts'
import { letterFields } from './letter-fields.ts'
import { originalOf } from './original.ts'
import { dialectReaders } from './readers.ts'
import type { FoundLetter } from './reading.ts'

/**
 * What no text about a failure may quote: the message that died. Where its letter is an envelope that cannot be opened, that is all of the
 * letter but what the dialect itself says in there.
 */
export function secretOf(found: FoundLetter, dialect: string): Message {
  const original = originalOf(found.message, dialect)
  const { body } = original
  const isOpened = body !== found.message.body
  const told = isOpened ? [] : toldInBody(found, dialect)
  return body === null || told.length === 0 ? original : { ...original, body: payloadIn(body, told.map(globAnyCase)) }
}

function toldInBody(found: FoundLetter, dialect: string): readonly string[] {
  const envelope = dialectReaders.find(({ name }) => name === dialect)?.envelope
  if (envelope === undefined) return []
  const letter = letterFields(found)
  return letter.json() === undefined ? [] : envelope(letter)
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()
/** Less is no six characters, which is what counts as a quote. */
const shortestBase64 = 8

/** A payload that an envelope has in base64 is read as well: what it holds is then not the same as what it shows. */
function payloadIn(body: Uint8Array, told: readonly ((name: string) => boolean)[]): Uint8Array {
  const json = decoder.decode(body)
  const isTold = (name: string): boolean => told.some((matches) => matches(name))
  const members: readonly (readonly [string, HeaderValue])[] = Object.entries(JSON.parse(json))
  const others = members.filter(([name]) => !isTold(name)).map(([, value]) => value)
  const encoded = [...textsOf(others)].flatMap((text) => (text.length < shortestBase64 ? [] : (fromBase64(text) ?? [])))
  return encoder.encode([withoutMembers(json, isTold), ...encoded.map((bytes) => decoder.decode(bytes))].join('\n'))
}
