import { crc32 } from 'node:zlib'

/**
 * One spool file: a line that says what it is, then a frame for each record.
 *
 *   4 bytes  marker
 *   4 bytes  length of the content
 *   4 bytes  CRC-32 of the content
 *   4 bytes  CRC-32 of the twelve bytes before
 *   …        content
 *
 * Numbers are big-endian. The header has a checksum of its own, so that a damaged length cannot lead astray: what does not check
 * is skipped up to the next header that does, and told.
 */
export interface Frames {
  readonly contents: readonly Uint8Array[]
  /** Bytes that belong to no record that checks. */
  readonly damaged: number
}

const title = Buffer.from('redrive spool 1\n')
const marker = Buffer.from('RDL1')
const headerBytes = 16

export function encodeFrames(contents: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([title, ...contents.flatMap((content) => [headerOf(content), content])])
}

export function decodeFrames(file: Uint8Array): Frames {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (!bytes.subarray(0, title.length).equals(title)) return { contents: [], damaged: bytes.length }
  const contents: Uint8Array[] = []
  let damaged = 0
  for (let at = title.length; at < bytes.length; ) {
    const end = frameEnd(bytes, at)
    if (end === undefined) {
      const next = nextFrame(bytes, at + 1)
      damaged += next - at
      at = next
    } else {
      const content = bytes.subarray(at + headerBytes, end)
      if (crc32(content) === bytes.readUInt32BE(at + 8)) contents.push(content)
      else damaged += end - at
      at = end
    }
  }
  return { contents, damaged }
}

function headerOf(content: Uint8Array): Buffer {
  const header = Buffer.alloc(headerBytes)
  marker.copy(header)
  header.writeUInt32BE(content.byteLength, 4)
  header.writeUInt32BE(crc32(content), 8)
  header.writeUInt32BE(crc32(header.subarray(0, 12)), 12)
  return header
}

/** Where the frame ends that begins here; `undefined` where none does, or where it is cut off. */
function frameEnd(bytes: Buffer, at: number): number | undefined {
  if (at + headerBytes > bytes.length || !bytes.subarray(at, at + 4).equals(marker)) return undefined
  if (crc32(bytes.subarray(at, at + 12)) !== bytes.readUInt32BE(at + 12)) return undefined
  const end = at + headerBytes + bytes.readUInt32BE(at + 4)
  return end <= bytes.length ? end : undefined
}

function nextFrame(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(marker, from); at !== -1; at = bytes.indexOf(marker, at + 1)) {
    if (frameEnd(bytes, at) !== undefined) return at
  }
  return bytes.length
}
