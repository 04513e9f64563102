import { createHash } from 'node:crypto'

/** A name of a message group, which has at most 64 plain characters. What RocketMQ would not take is known by its hash. */
export function messageGroupOf(key: string | Uint8Array): string {
  if (typeof key === 'string' && /^[\x21-\x7e]{1,64}$/.test(key)) return key
  const kind = typeof key === 'string' ? 'text' : 'bytes'
  return `redrive-${createHash('sha256').update(kind).update(key).digest('base64url')}`
}

/**
 * Message groups for messages that have no key, one for each queue: the proxy puts a group into a queue by a hash of its name. While a
 * message waits for its retry its whole queue waits, and the next one should not be in it. A proxy that hashes otherwise spreads
 * them by chance, which costs waiting and nothing else.
 */
export function groupsForKeyless(queues: number): readonly string[] {
  const found = new Map<number, string>()
  for (let nth = 0; found.size < queues && nth < 1000 * queues; nth++) {
    const name = `redrive-no-key-${nth}`
    const queue = consistentHash(javaHash(name), queues)
    if (!found.has(queue)) found.set(queue, name)
  }
  return [...found.values()]
}

/** `String.hashCode` of Java. */
function javaHash(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index++) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0
  return hash
}

const multiplier = 2_862_933_555_777_941_757n

/** Jump consistent hash, as Guava has it. */
function consistentHash(input: number, buckets: number): number {
  let state = BigInt.asUintN(64, BigInt(input))
  for (let bucket = 0; ; ) {
    state = BigInt.asUintN(64, multiplier * state + 1n)
    const share = (Number(BigInt.asIntN(32, state >> 33n)) + 1) / 2 ** 31
    const next = Math.trunc((bucket + 1) / share)
    if (next < 0 || next >= buckets) return bucket
    bucket = next
  }
}
