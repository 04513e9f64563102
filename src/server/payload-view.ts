import { Buffer } from 'node:buffer'
import { maskedHeaderNames, maskHeaders, maskJson } from '../core/mask.ts'
import type { Message } from '../core/message.ts'
import { headerJson } from './header-json.ts'

/** What people who may not see payloads as they are do not see. */
export interface Masking {
  /** Names of headers; `*` is any characters. */
  readonly headers: readonly string[]
  /** Paths into JSON bodies, as in docs/security.md. */
  readonly paths: readonly string[]
}

const defaultMasking: Masking = {
  headers: maskedHeaderNames,
  paths: [...maskedHeaderNames, '*card*', '*cvv*', '*cvc*', '*iban*', '*ssn*', '*email*', '*phone*'].map((name) => `**.${name}`),
}

/** What a configuration names is masked too; nothing that is masked by default is ever shown by it. */
export function maskingBeside({ headers, paths }: Masking): Masking {
  return { headers: [...defaultMasking.headers, ...headers], paths: [...defaultMasking.paths, ...paths] }
}

export interface PayloadView {
  readonly isMasked: boolean
  readonly contentType: string | null
  readonly type: string | null
  readonly key: string | null
  readonly headers: readonly [name: string, value: unknown][]
  readonly body: BodyView
}

export type BodyView =
  /** A tombstone. */
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string; readonly isCut: boolean }
  | { readonly kind: 'bytes'; readonly base64: string; readonly isCut: boolean }
  /** There is something, and nothing of it may be shown. */
  | { readonly kind: 'hidden'; readonly because: 'not-json' | 'too-large' }

/** Nobody reads more on a screen; the whole is an attachment. */
const mostShown = 256 * 1024
/** What is masked has to be parsed first, while everybody else waits. */
const mostMasked = 1024 * 1024

export function viewOf(message: Message, masking: Masking | undefined): PayloadView {
  const { body, headers, key, type, contentType } = message
  const shownHeaders = masking ? maskHeaders(headers, masking.headers) : headers
  const shownKey = typeof key === 'object' ? Buffer.from(key).toString('base64') : key
  return {
    isMasked: masking !== undefined,
    contentType: contentType ?? null,
    type: type ?? null,
    key: shownKey === undefined ? null : masking ? '•••' : shownKey,
    headers: shownHeaders.map(([name, value]) => [name, headerJson(value)]),
    body: masking ? maskedBody(body, masking.paths) : plainBody(body),
  }
}

function maskedBody(body: Uint8Array | null, paths: readonly string[]): BodyView {
  if (body === null) return { kind: 'none' }
  if (body.byteLength > mostMasked) return { kind: 'hidden', because: 'too-large' }
  const value = maskJson(body, paths)
  return value === unreadable ? { kind: 'hidden', because: 'not-json' } : { kind: 'json', value }
}

/** What masking makes of bytes that are no JSON. */
const unreadable = maskJson(Uint8Array.of(0xff), [])

function plainBody(body: Uint8Array | null): BodyView {
  if (body === null) return { kind: 'none' }
  const isCut = body.byteLength > mostShown
  const shown = body.subarray(0, mostShown)
  try {
    // What is cut may end within a character; the decoder waits for the rest of it and says nothing.
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(shown, { stream: isCut }), isCut }
  } catch {
    return { kind: 'bytes', base64: Buffer.from(shown).toString('base64'), isCut }
  }
}
