import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

/** An index holds no entry larger than a third of a page; beyond this a key is known by its hash. */
const longest = 500

const marks = { text: 0x74, bytes: 0x62, hash: 0x68 } as const

/** A key as it is compared. Text and bytes of the same spelling are two keys. */
export function laneOf(key: string | Uint8Array | undefined): Buffer | null {
  if (key === undefined) return null
  const isText = typeof key === 'string'
  const bytes = Buffer.from(isText ? key : new Uint8Array(key))
  const marked = Buffer.concat([Buffer.of(isText ? marks.text : marks.bytes), bytes])
  if (marked.byteLength <= longest) return marked
  return Buffer.concat([Buffer.of(marks.hash), createHash('sha256').update(marked).digest()])
}

/** A lane's name only tells lanes apart; a key that is not short text is shown in hexadecimal. */
export function laneName(lane: Uint8Array | null): string | null {
  if (lane === null) return null
  const rest = Buffer.from(lane.subarray(1))
  return lane[0] === marks.text ? rest.toString() : `0x${rest.toString('hex')}`
}
