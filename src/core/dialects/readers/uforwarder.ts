import type { LetterFields } from '../letter-fields.ts'
import { readProtobuf } from '../protobuf.ts'
import { asCount } from '../read-number.ts'
import { fromEpoch } from '../read-time.ts'
import { type DialectReader, failureOf, type ReadFailure } from '../reading.ts'

/** The numbers of the fields of its DLQMetadata, and whether each is bytes. */
const fields = { retryCount: 1, topic: 2, partition: 3, offset: 4, timestampNs: 5, data: 6, timeoutCount: 7 } as const
const areBytes: ReadonlySet<number> = new Set([fields.topic, fields.data])
const topicName = /^[\w.-]{1,249}$/
/** The years 2000 and 2100. Nanoseconds. */
const [firstMoment, lastMoment] = [946_684_800_000_000_000n, 4_102_444_800_000_000_000n]
const decoder = new TextDecoder()

/** A protobuf in place of the key or the value. Nothing marks it, so that every field must fit. */
export const uforwarder: DialectReader = {
  name: 'uforwarder',
  producer: 'Uber uForwarder',
  confidence: 'likely',
  signs: [],
  sign: 'a key or a body that is exactly its protobuf, `DLQMetadata`',
  headers: [],
  read: ({ message }: LetterFields) => metadata(message.key) ?? metadata(message.body),
}

function metadata(holder: string | Uint8Array | null | undefined): ReadFailure | undefined {
  // What somebody took for text has lost the bytes of its time.
  if (!(holder instanceof Uint8Array)) return undefined
  const found = readProtobuf(holder)
  if (found === undefined || !fits(found)) return undefined
  const number = (field: number): bigint | undefined => {
    const value = found.get(field)
    return typeof value === 'bigint' ? value : undefined
  }
  const retries = asCount(number(fields.retryCount) ?? 0n)
  return failureOf({
    source: {
      channel: topicOf(found.get(fields.topic)),
      // Proto3 leaves out what is zero.
      partition: asCount(number(fields.partition) ?? 0n),
      offset: number(fields.offset) ?? 0n,
    },
    attempts: retries === undefined ? undefined : retries + 1,
    firstSeenAt: fromEpoch(number(fields.timestampNs) ?? 0n),
  })
}

function fits(found: ReadonlyMap<number, bigint | Uint8Array>): boolean {
  for (const [field, value] of found) {
    if (field < fields.retryCount || field > fields.timeoutCount) return false
    if (areBytes.has(field) !== value instanceof Uint8Array) return false
  }
  return topicName.test(topicOf(found.get(fields.topic)) ?? '') && isMoment(found.get(fields.timestampNs))
}

/** It always tells when; what looks like the rest of it may be any small message. */
function isMoment(value: bigint | Uint8Array | undefined): boolean {
  return typeof value === 'bigint' && value >= firstMoment && value < lastMoment
}

function topicOf(value: bigint | Uint8Array | undefined): string | undefined {
  return value instanceof Uint8Array ? decoder.decode(value) : undefined
}
