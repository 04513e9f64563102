import type { Envelope } from '../../core/envelope.ts'
import type { Claimed, Stored } from '../leases/protocol.ts'
import type { Contents, PackedClaim } from './protocol.ts'

export function unpackClaim({ contents, ...claimed }: PackedClaim): Claimed {
  return { ...claimed, stored: unpackContents(contents) }
}

/** One for each message. Bodies are views of the memory that they came in. */
export function unpackContents({ envelopes, lengths, bodies }: Contents): Stored[] {
  let at = 0
  return (JSON.parse(envelopes) as Envelope[]).map((envelope, index) => {
    const start = at
    const length = lengths[index] ?? -1
    at += Math.max(length, 0)
    return { envelope, body: length < 0 ? null : bodies.subarray(start, at) }
  })
}
