import { headerText, isTable } from '../headers.ts'
import type { HeaderTable, HeaderValue, Message } from '../message.ts'
import { asCount, bigEndian, wholeNumber } from './read-number.ts'
import { readTime } from './read-time.ts'
import type { FoundLetter } from './reading.ts'

/**
 * A letter as a reader asks it: by the names of headers, and of what only the broker holds (system properties, attributes, columns).
 * A name in its own case counts before the same in another. Of several names the first that can be read is taken; of headers that
 * repeat the first, which is the oldest, or the last.
 */
export interface LetterFields extends FoundLetter {
  has(name: string): boolean
  /** The same with its letter case. */
  hasExactly(name: string): boolean
  /** Not empty, and at most 64 KiB of it. */
  text(...names: readonly string[]): string | undefined
  lastText(...names: readonly string[]): string | undefined
  count(...names: readonly string[]): number | undefined
  number(...names: readonly string[]): bigint | undefined
  /** A number in bytes before one in text. */
  binaryNumber(...names: readonly string[]): bigint | undefined
  time(...names: readonly string[]): number | undefined
  binaryTime(...names: readonly string[]): number | undefined
  value(name: string): HeaderValue | undefined
  table(name: string): LetterFields | undefined
  /** The body, where it is a JSON object of at most 4 MiB, as if its members were headers. */
  json(): LetterFields | undefined
}

const longestText = 65_536
const longestJson = 4_194_304
const decoder = new TextDecoder()

export function letterFields({ channel, message }: FoundLetter): LetterFields {
  const native = Object.entries(message.native?.properties ?? {}) as [string, HeaderValue][]
  let json: LetterFields | undefined | null = null
  return {
    ...fieldsOf({ channel, message }, [...message.headers, ...native]),
    json() {
      if (json === null) json = jsonFields({ channel, message })
      return json
    },
  }
}

function fieldsOf(letter: FoundLetter, entries: Iterable<readonly [string, HeaderValue]>): LetterFields {
  const exact = new Map<string, HeaderValue[]>()
  const folded = new Map<string, HeaderValue[]>()
  for (const [name, value] of entries) {
    append(exact, name, value)
    append(folded, name.toLowerCase(), value)
  }
  const valuesOf = (name: string): readonly HeaderValue[] => exact.get(name) ?? folded.get(name.toLowerCase()) ?? []
  const firstOf = <T>(names: readonly string[], read: (value: HeaderValue) => T | undefined, newest = false): T | undefined => {
    for (const name of names) {
      const values = newest ? valuesOf(name).toReversed() : valuesOf(name)
      for (const value of values) {
        const found = read(value)
        if (found !== undefined) return found
      }
    }
    return undefined
  }
  return {
    ...letter,
    has: (name) => valuesOf(name).length > 0,
    hasExactly: (name) => exact.has(name),
    text: (...names) => firstOf(names, readText),
    lastText: (...names) => firstOf(names, readText, true),
    count: (...names) => firstOf(names, (value) => asCount(wholeNumber(value))),
    number: (...names) => firstOf(names, wholeNumber),
    binaryNumber: (...names) => firstOf(names, bigEndian),
    time: (...names) => firstOf(names, readTime),
    binaryTime: (...names) => firstOf(names, (value) => readTime(bigEndian(value) ?? value)),
    value: (name) => valuesOf(name)[0],
    table: (name) => firstOf([name], (value) => tableFields(letter, value)),
    json: () => undefined,
  }
}

function append(index: Map<string, HeaderValue[]>, name: string, value: HeaderValue): void {
  const values = index.get(name)
  if (values) values.push(value)
  else index.set(name, [value])
}

function readText(value: HeaderValue): string | undefined {
  const text = headerText(value)
  return text === undefined || text === '' ? undefined : text.slice(0, longestText).toWellFormed()
}

/** A table, or the text of one: drivers give the same column now as this and now as that. */
export function tableFields(letter: FoundLetter, value: HeaderValue): LetterFields | undefined {
  const table = typeof value === 'string' ? parsed(value) : value
  return table !== undefined && isTable(table) ? fieldsOf(letter, Object.entries(table)) : undefined
}

function jsonFields({ channel, message }: FoundLetter): LetterFields | undefined {
  const { body } = message
  if (body === null || body.byteLength > longestJson || !startsAnObject(body)) return undefined
  return tableFields({ channel, message }, decoder.decode(body))
}

/** So that a body of megabytes that is no JSON is not decoded only to find that out. */
function startsAnObject(body: NonNullable<Message['body']>): boolean {
  const first = body.find((byte) => byte > 0x20)
  return first === 0x7b
}

function parsed(text: string): HeaderTable | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
