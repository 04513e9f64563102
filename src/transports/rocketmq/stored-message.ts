import { Buffer } from 'node:buffer'
import { gunzipSync, inflateSync } from 'node:zlib'

/** A message as a broker keeps it, with the properties of its own and of the sender in one list. */
export interface StoredMessage {
  readonly offset: number
  /** Its place in the broker's log, which has the order in which all messages came. */
  readonly logOffset: bigint
  readonly storedAt: number
  readonly bornAt: number
  readonly reconsumeTimes: number
  readonly body: Buffer
  readonly properties: ReadonlyMap<string, string>
}

/** The second version of the format has room for longer names of topics. */
const wideTopics = -626_843_477
const flags = { compressed: 1, bornOnIpv6: 0x10, storedOnIpv6: 0x20 } as const
const address = { ipv4: 8, ipv6: 20 } as const

export function readStoredMessages(bytes: Buffer): readonly StoredMessage[] {
  const messages: StoredMessage[] = []
  for (let at = 0; at < bytes.length; at += bytes.readInt32BE(at)) messages.push(readOne(bytes, at))
  return messages
}

function readOne(bytes: Buffer, start: number): StoredMessage {
  const magic = bytes.readInt32BE(start + 4)
  const offset = Number(bytes.readBigInt64BE(start + 20))
  const logOffset = bytes.readBigInt64BE(start + 28)
  const sysFlag = bytes.readInt32BE(start + 36)
  const bornAt = Number(bytes.readBigInt64BE(start + 40))
  let at = start + 48 + (sysFlag & flags.bornOnIpv6 ? address.ipv6 : address.ipv4)
  const storedAt = Number(bytes.readBigInt64BE(at))
  at += 8 + (sysFlag & flags.storedOnIpv6 ? address.ipv6 : address.ipv4)
  const reconsumeTimes = bytes.readInt32BE(at)
  // The offset of a prepared transaction follows, which nobody here asks for.
  at += 4 + 8
  const body = bytes.subarray(at + 4, at + 4 + bytes.readInt32BE(at))
  at += 4 + body.length
  const isWide = magic === wideTopics
  at += isWide ? 2 + bytes.readInt16BE(at) : 1 + bytes.readUInt8(at)
  const properties = readProperties(bytes.toString('utf8', at + 2, at + 2 + bytes.readInt16BE(at)))
  return { offset, logOffset, storedAt, bornAt, reconsumeTimes, body: unpacked(body, sysFlag), properties }
}

function readProperties(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\u0002').flatMap((pair) => {
    const cut = pair.indexOf('\u0001')
    return cut < 0 ? [] : [[pair.slice(0, cut), pair.slice(cut + 1)] as const]
  })
  return new Map(pairs)
}

/** Older clients compress large bodies, and say nothing about the method before version 5. */
function unpacked(body: Buffer, sysFlag: number): Buffer {
  if (!(sysFlag & flags.compressed)) return Buffer.from(body)
  try {
    return inflateSync(body)
  } catch {
    return body[0] === 0x1f ? gunzipSync(body) : Buffer.from(body)
  }
}
