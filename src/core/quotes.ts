import { letterHeaderNames } from './dialects/letter-headers.ts'
import { printedBytes } from './encoded-bytes.ts'
import { headerText, isList, isTable } from './headers.ts'
import { redriveHeaders } from './letter.ts'
import type { Headers, HeaderValue } from './message.ts'
import { gap, type PhraseIndex, phraseIndex, phraseLength } from './phrase-index.ts'
import { forRecentTexts } from './recent-texts.ts'

/** What no text may quote. A message is one. */
export interface Forbidden {
  readonly body: Uint8Array | null
  readonly key?: string | Uint8Array
  readonly headers: Headers
  /** Known to everybody who sees the letter, as the names of its headers are: quoting it is no leak. */
  readonly type?: string
}

/** Everything that any of these messages of one type forbids. */
export function forbiddenByAny(all: readonly Forbidden[]): Forbidden {
  const type = all[0]?.type
  const keys = all.flatMap(({ key }): Headers => (key === undefined ? [] : [['key', key]]))
  return {
    body: joined(all.map(({ body }) => body ?? new Uint8Array())),
    headers: [...keys, ...all.flatMap(({ headers }) => headers)],
    ...(type !== undefined && { type }),
  }
}

/** With a line break between, so that no phrase is made of two. */
function joined(bodies: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(bodies.reduce((sum, { byteLength }) => sum + byteLength + 1, 0)).fill(10)
  let at = 0
  for (const body of bodies) {
    all.set(body, at)
    at += body.byteLength + 1
  }
  return all
}

const chunkBytes = 65_536
/** Raw characters of one chunk that are read again with the next one: six of them fit even if each is an escape of six. */
const chunkOverlap = 64
const decoder = new TextDecoder()
const ownHeaders: ReadonlySet<string> = new Set([...letterHeaderNames, redriveHeaders.replay, redriveHeaders.body])

/**
 * Whether the text holds six characters in a row of the body, the key or the value of a header, a letter or a digit among them.
 *
 * The phrases of the text are indexed, because what leaves is short, and what is forbidden is streamed over them: time is the sum of
 * both lengths whatever they hold, and memory does not grow with the body.
 *
 * Letter case and JSON escapes make no difference, and bytes printed as base64, hexadecimal or decimals are read. Not covered: what
 * was compressed, encrypted, translated or reformatted (1,234.50 for 1234.5), percent encoding and XML entities, bodies in
 * UTF-16, text of which the body holds only the base64, and less than sixteen characters of base64 or twelve of hexadecimal.
 */
export function quotes(text: string, forbidden: Forbidden): boolean {
  if (lastAsked?.forbidden !== forbidden || lastAsked.text !== text) {
    lastAsked = { text, forbidden, answer: isQuoted(text, forbidden) }
  }
  return lastAsked.answer
}

/** A description and the head of a stack trace are one text, held against one message. */
let lastAsked: { readonly text: string; readonly forbidden: Forbidden; readonly answer: boolean } | undefined

function isQuoted(text: string, forbidden: Forbidden): boolean {
  const phrases = indexOf([withoutKnownNames(foldedOnce(text), forbidden), ...printedTexts(text)].join(gap))
  if (phrases === undefined) return false
  const { body, key, headers } = forbidden
  if (body !== null && isInBody(phrases, body)) return true
  if (key !== undefined && phrases.isQuotedIn(folded(typeof key === 'string' ? key : decoder.decode(key)))) return true
  return headers.length > 0 && isInHeaders(phrases, headers)
}

const foldedOnce = forRecentTexts(folded)
const indexOf = forRecentTexts(phraseIndex)
const printedTexts = forRecentTexts((text) => printedBytes(text).map((bytes) => folded(decoder.decode(bytes))))

function withoutKnownNames(text: string, { headers, type }: Forbidden): string {
  let rest = withoutName(text, type ?? '')
  for (const [name] of headers) rest = withoutName(rest, name)
  return rest
}

function withoutName(text: string, name: string): string {
  return name.length >= phraseLength ? text.replaceAll(folded(name), gap) : text
}

function isInBody(phrases: PhraseIndex, body: Uint8Array): boolean {
  if (body.byteLength > chunkBytes) return isInAny(phrases, chunksOf(body))
  const text = decoder.decode(body)
  return isPlain(text, body) ? phrases.isQuotedInAscii(body) : phrases.isQuotedIn(folded(text))
}

/** Nothing but ASCII and no escapes, as most JSON is: then its bytes say the same. Whatever is not UTF-8 was decoded to a mark of that. */
function isPlain(text: string, { byteLength }: Uint8Array): boolean {
  return text.length === byteLength && !text.includes('\\') && !text.includes('\ufffd')
}

/** Redrive's own headers are ours: a replayed letter may fail with the same words again. */
function isInHeaders(phrases: PhraseIndex, headers: Headers): boolean {
  const values = headers.filter(([name]) => !ownHeaders.has(name)).map(([, value]) => value)
  return isInAny(phrases, textsOf(values))
}

function isInAny(phrases: PhraseIndex, texts: Iterable<string>): boolean {
  for (const text of texts) if (text.length >= phraseLength && phrases.isQuotedIn(folded(text))) return true
  return false
}

function* chunksOf(body: Uint8Array): Generator<string> {
  const streaming = new TextDecoder()
  let overlap = ''
  for (let at = 0; at < body.length; at += chunkBytes) {
    const raw = overlap + streaming.decode(body.subarray(at, at + chunkBytes), { stream: true })
    yield raw
    overlap = raw.slice(-chunkOverlap)
  }
}

/** The texts in nested values. A value that was seen is not entered again, so that a cycle ends. */
export function* textsOf(values: readonly HeaderValue[]): Generator<string> {
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
