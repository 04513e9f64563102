import { textHeader } from './headers.ts'
import { redriveHeaders } from './letter.ts'
import type { Headers, Message } from './message.ts'

/** Says where the body of a message stands when it is too large to travel with it, and what it must be. */
export interface BodyReference {
  readonly key: string
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

/**
 * A day and a name, and nothing that means anything to a file system or a URL: the header of a foreign message must not be able to
 * name another file. The day lets a rule remove what is old without looking into it.
 */
const safeKey = /^\d{4}-\d\d-\d\d\.[A-Za-z0-9_-]{1,80}$/
const written = /^v1 (\S{1,100}) (\d{1,15}) ([0-9a-f]{64})$/

export function isSafeKey(key: string): boolean {
  return safeKey.test(key)
}

export function writeReference({ key, bytes, sha256 }: BodyReference): string {
  return `v1 ${key} ${bytes} ${sha256}`
}

/** Whether the body stands elsewhere. A body that is there is the body, whatever a header says. */
export function isElsewhere({ body, headers }: Message): boolean {
  return (body === null || body.byteLength === 0) && headers.length > 0 && textHeader(headers, redriveHeaders.body) !== undefined
}

/** The reference that a message carries; `undefined` where it carries none, or one that nobody of ours wrote. */
export function readReference(headers: Headers): BodyReference | undefined {
  const [, key = '', bytes, sha256 = ''] = written.exec(textHeader(headers, redriveHeaders.body) ?? '') ?? []
  return isSafeKey(key) ? { key, bytes: Number(bytes), sha256 } : undefined
}
