import { cutToBytes } from '../cut.ts'
import { headerSize, headersFit, headersSize } from '../headers.ts'
import { redriveHeaders } from '../letter.ts'
import type { Header, Headers } from '../message.ts'
import { visible } from '../visible.ts'

/**
 * Brokers bound what headers may weigh, and a letter that is too heavy can never be written: the message would come back for
 * ever. So the headers of a letter always fit their budget. Room is given in this order:
 *
 * 0. the reference to a body that stands elsewhere: without it the message would be lost;
 * 1. the facts about the letter, the first ones first: they are small, and its identity is among them;
 * 2. the message's own headers, whole; if they are too many, the largest are left out, and a header says which;
 * 3. the description, shortened if need be;
 * 4. the stack trace, shortened if need be;
 * 5. what earlier runs failed with, whole or not at all.
 */
export type LetterHeader =
  | { readonly name: string; readonly value: string | Uint8Array; readonly role: 'fact' }
  | { readonly name: string; readonly value: string; readonly role: 'text' | 'stack' | 'history' }

/** Names of the message's own headers for which there was no room. */
export const droppedHeaders = 'redrive-dropped-headers'

/** A fact is a name, a number or a time. A user may give a reason of any length; more than this says no more. */
const factLimitBytes = 512
const droppedNamesLimitBytes = 512
/** Less than this of a description or a stack trace is not worth its header. */
const leastTextBytes = 32

export function fact(name: string, value: string): LetterHeader {
  return { name, value: cutToBytes(value, factLimitBytes), role: 'fact' }
}

/** A fact in bytes, for dialects whose numbers are no text. */
export function bytes(name: string, value: Uint8Array): LetterHeader {
  return { name, value, role: 'fact' }
}

export function text(name: string, value: string): LetterHeader {
  return { name, value, role: 'text' }
}

export function stack(name: string, value: string): LetterHeader {
  return { name, value, role: 'stack' }
}

export function history(name: string, value: string): LetterHeader {
  return { name, value, role: 'history' }
}

/** The message's headers as they came, then those of the letter in the order given, together no larger than the budget. */
export function fitHeaders(original: Headers, letter: readonly LetterHeader[], budget: number): Headers {
  const whole = [...original]
  for (const { name, value } of letter) whole.push([name, value])
  return headersFit(whole, budget) ? whole : squeezed(original, letter, budget)
}

function squeezed(original: Headers, letter: readonly LetterHeader[], budget: number): Headers {
  const written = new Map<string, string | Uint8Array>()
  const reference = original.filter(isReference)
  let room = budget - headersSize(reference)
  const write = (name: string, value: string | Uint8Array): void => {
    room -= headerSize([name, value])
    written.set(name, value)
  }
  for (const { name, value } of ofRole(letter, 'fact')) if (headerSize([name, value]) <= room) write(name, value)
  const kept = keepSmallest(reference.length === 0 ? original : original.filter((header) => !isReference(header)), room)
  room -= headersSize(kept)
  for (const { name, value } of [...ofRole(letter, 'text'), ...ofRole(letter, 'stack')]) {
    const short = shortened(value, room - headerSize([name, '']))
    if (short !== '') write(name, short)
  }
  for (const { name, value } of ofRole(letter, 'history')) if (headerSize([name, value]) <= room) write(name, value)
  return [...reference, ...kept, ...letter.flatMap(({ name }) => headerIf(name, written.get(name)))]
}

function isReference([name]: Header): boolean {
  return name === redriveHeaders.body
}

function ofRole<Role extends LetterHeader['role']>(letter: readonly LetterHeader[], role: Role) {
  return letter.filter((candidate): candidate is Extract<LetterHeader, { role: Role }> => candidate.role === role)
}

function headerIf(name: string, value: string | Uint8Array | undefined): Headers {
  return value === undefined ? [] : [[name, value]]
}

function shortened(value: string, room: number): string {
  const short = cutToBytes(value, room)
  return short === value || room >= leastTextBytes ? short : ''
}

/** All of them if they fit; else those that fit once the largest are gone, in their order, with a header that names the lost. */
function keepSmallest(original: Headers, room: number): Headers {
  let size = headersSize(original)
  if (size <= room) return original
  const dropped = new Set<Header>()
  let names = ''
  const note = (): Header => [droppedHeaders, names]
  for (const largest of original.toSorted((one, other) => headerSize(other) - headerSize(one))) {
    if (size + headerSize(note()) <= room) break
    dropped.add(largest)
    size -= headerSize(largest)
    names = listed(names, largest[0])
  }
  const kept = original.filter((header) => !dropped.has(header))
  return size + headerSize(note()) <= room ? [...kept, note()] : kept
}

function listed(names: string, name: string): string {
  return cutToBytes(names === '' ? visible(name) : `${names}, ${visible(name)}`, droppedNamesLimitBytes)
}
