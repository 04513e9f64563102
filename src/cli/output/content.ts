import { Buffer } from 'node:buffer'
import { encodeEnvelope, parseEnvelope } from '../../core/envelope.ts'
import type { Message } from '../../core/message.ts'
import { visible } from '../../core/visible.ts'

/** More than this on a screen is no help; `--json` gives all of it. */
const mostText = 64 * 1024
const mostBytes = 4 * 1024
const bytesInLine = 16

export type ShownBody = { readonly text: string } | { readonly base64: string } | null

/** For programs: the whole body, as text where it is text. */
export function bodyForPrograms(body: Uint8Array | null): ShownBody {
  if (body === null) return null
  const text = textOf(body)
  return text === undefined ? { base64: Buffer.from(body).toString('base64') } : { text }
}

/** Headers as JSON can hold them: bytes, dates and large numbers as objects that say what they are. */
export function headersForPrograms(message: Message): readonly (readonly [name: string, value: unknown])[] {
  return parseEnvelope(encodeEnvelope(message))[6]
}

/** For people: lines in which nothing acts on a terminal. */
export function bodyForPeople(body: Uint8Array | null): readonly string[] {
  if (body === null) return ['(no body: a tombstone)']
  if (body.byteLength === 0) return ['(an empty body)']
  const text = textOf(body)
  if (text === undefined) return withRest(hexLines(body.subarray(0, mostBytes)), body.byteLength - mostBytes)
  return withRest(text.slice(0, mostText).split('\n').map(visible), text.length - mostText)
}

function withRest(lines: readonly string[], rest: number): readonly string[] {
  return rest > 0 ? [...lines, `… and ${rest} more; --json gives all of it`] : lines
}

/** The text, or `undefined` where the bytes are none. */
export function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return undefined
  }
}

function hexLines(bytes: Uint8Array): readonly string[] {
  const lines: string[] = []
  for (let start = 0; start < bytes.byteLength; start += bytesInLine) {
    const line = bytes.subarray(start, start + bytesInLine)
    const hex = Array.from(line, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = Array.from(line, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${start.toString(16).padStart(8, '0')}  ${hex.padEnd(bytesInLine * 3)} ${text}`)
  }
  return lines
}
