import { letterHeaderNames } from './dialects/letter-headers.ts'
import { printedBytes } from './encoded-bytes.ts'
import { headerText, isList, isTable } from './headers.ts'
import { redriveHeaders } from './letter.ts'
import type { Headers, HeaderValue } from './message.ts'

/** What no text may quote. A message is one. */
export interface Forbidden {
  readonly body: Uint8Array | null
  readonly key?: string | Uint8Array
  readonly headers: Headers
  /** Known to everybody who sees the letter, as the names of its headers are: quoting it is no leak. */
  readonly type?: string
}

/** Six characters in a row are a quote. Shorter values are too common to say anything. */
const quoteLength = 6
const chunkBytes = 65_536
/** Raw characters of one chunk that are read again with the next one: six of them fit even if each is an escape of six. */
const chunkOverlap = 64
const filterBits = 14
const decoder = new TextDecoder()
const ownHeaders: ReadonlySet<string> = new Set([...letterHeaderNames, redriveHeaders.replay])

/**
 * Whether the text holds six characters in a row of the body, the key or the value of a header.
 *
 * The quotes of the text are indexed, because what leaves is short, and what is forbidden is streamed over them: time is the sum of
 * both lengths whatever they hold, and memory does not grow with the body.
 *
 * Letter case and JSON escapes make no difference, and bytes printed as base64, hexadecimal or decimals are read. A quote must
 * hold a letter or a digit: six spaces, dashes or brackets say nothing. Not covered: what was compressed, encrypted, translated or
 * reformatted (1,234.50 for 1234.5), percent encoding and XML entities, bodies in UTF-16, text of which the body holds
 * only the base64, and less than sixteen characters of base64 or twelve of hexadecimal.
 */
export function quotes(text: string, forbidden: Forbidden): boolean {
  const phrases = phrasesOf(withoutKnownNames(folded(text), forbidden))
  for (const bytes of printedBytes(text)) addPhrases(folded(decoder.decode(bytes)), phrases)
  if (phrases.size === 0) return false
  const filter = filterFor(phrases)
  for (const part of partsOf(forbidden)) if (holdsPhrase(part, phrases, filter)) return true
  return false
}

/** Stands where a name stood that anybody may read, and in no quote. Unicode keeps this character free for such uses. */
const gap = '\uffff'

function withoutKnownNames(text: string, { headers, type }: Forbidden): string {
  let rest = text
  for (const name of [type ?? '', ...headers.map(([name]) => name)]) {
    if (name.length >= quoteLength) rest = rest.replaceAll(folded(name), gap)
  }
  return rest
}

function phrasesOf(text: string): Set<string> {
  const phrases = new Set<string>()
  addPhrases(text, phrases)
  return phrases
}

function addPhrases(text: string, phrases: Set<string>): void {
  let lastGap = -1
  let lastWord = -1
  for (let i = 0; i < text.length; i++) {
    if (text[i] === gap) lastGap = i
    else if (isWordCharacter(text.charCodeAt(i))) lastWord = i
    const start = i + 1 - quoteLength
    if (start > lastGap && lastWord >= start) phrases.add(text.slice(start, i + 1))
  }
}

function isWordCharacter(code: number): boolean {
  if (code < 0x80) return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  const halfOfPair = code >= 0xd800 && code < 0xe000
  return halfOfPair || /[\p{L}\p{N}]/u.test(String.fromCharCode(code))
}

/** One byte per slot: nearly every character of a body is turned away here, without cutting a string. */
function filterFor(phrases: ReadonlySet<string>): Uint8Array {
  const filter = new Uint8Array(1 << filterBits)
  for (const phrase of phrases) {
    let rolling = 0
    for (let i = 0; i < quoteLength; i++) rolling = rolled(rolling, phrase.charCodeAt(i))
    filter[slotOf(rolling)] = 1
  }
  return filter
}

function holdsPhrase(text: string, phrases: ReadonlySet<string>, filter: Uint8Array): boolean {
  let rolling = 0
  for (let i = 0; i < text.length; i++) {
    rolling = rolled(rolling, text.charCodeAt(i))
    if (filter[slotOf(rolling)] === 1 && phrases.has(text.slice(i + 1 - quoteLength, i + 1))) return true
  }
  return false
}

/** Thirty bits, five of them pushed out by each character: what is left depends on the last six characters and on nothing else. */
function rolled(rolling: number, code: number): number {
  return ((rolling << 5) + code) & 0x3fff_ffff
}

function slotOf(rolling: number): number {
  return Math.imul(rolling, 0x9e37_79b1) >>> (32 - filterBits)
}

/** Every text that must not be quoted, folded. Redrive's own headers are ours: a replayed letter may fail with the same words again. */
function* partsOf({ body, key, headers }: Forbidden): Generator<string> {
  if (body !== null) yield* chunksOf(body)
  if (key !== undefined) yield folded(typeof key === 'string' ? key : decoder.decode(key))
  const values = headers.filter(([name]) => !ownHeaders.has(name)).map(([, value]) => value)
  for (const text of textsOf(values)) if (text.length >= quoteLength) yield folded(text)
}

function* chunksOf(body: Uint8Array): Generator<string> {
  if (body.length <= chunkBytes) return yield folded(decoder.decode(body))
  const streaming = new TextDecoder()
  let overlap = ''
  for (let at = 0; at < body.length; at += chunkBytes) {
    const raw = overlap + streaming.decode(body.subarray(at, at + chunkBytes), { stream: true })
    yield folded(raw)
    overlap = raw.slice(-chunkOverlap)
  }
}

/** The texts in nested values. A value that was seen is not entered again, so that a cycle ends. */
function* textsOf(values: readonly HeaderValue[]): Generator<string> {
  const seen = new Set<HeaderValue>()
  const waiting = [...values]
  while (waiting.length > 0) {
    const value = waiting.pop() ?? null
    const text = headerText(value)
    if (text !== undefined) yield text
    else if (!seen.has(value)) {
      seen.add(value)
      for (const inner of innerValues(value)) waiting.push(inner)
    }
  }
}

function innerValues(value: HeaderValue): readonly HeaderValue[] {
  if (isList(value)) return value
  return isTable(value) ? Object.values(value) : []
}

const jsonEscape = /\\+(?:u([0-9a-f]{4})|(.))/gis
const shortEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** The one form in which texts are compared: escapes of JSON undone, however often they were escaped, and letter case gone. */
function folded(text: string): string {
  if (!text.includes('\\')) return text.toUpperCase()
  return text
    .replace(jsonEscape, (_, hex: string | undefined, character: string) =>
      hex === undefined ? (shortEscapes[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .toUpperCase()
}
