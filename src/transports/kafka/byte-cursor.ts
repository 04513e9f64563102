/** Reads one number after the other from bytes, as Kafka writes them. Beyond the end everything is 0. */
export interface ByteCursor {
  /** Where the next read begins. */
  at: number
  readonly end: number
  readonly bytes: Buffer
}

export function cursorOver(bytes: Buffer, at = 0, end: number = bytes.length): ByteCursor {
  return { bytes, at, end }
}

export function readInt16(cursor: ByteCursor): number {
  cursor.at += 2
  return cursor.at > cursor.end ? 0 : cursor.bytes.readInt16BE(cursor.at - 2)
}

export function readInt32(cursor: ByteCursor): number {
  cursor.at += 4
  return cursor.at > cursor.end ? 0 : cursor.bytes.readInt32BE(cursor.at - 4)
}

export function readInt64(cursor: ByteCursor): bigint {
  cursor.at += 8
  return cursor.at > cursor.end ? 0n : cursor.bytes.readBigInt64BE(cursor.at - 8)
}

/** Seven bits at a time, the lowest first; a set eighth bit says that there are more. */
export function readUnsigned(cursor: ByteCursor): number {
  const { bytes } = cursor
  let byte = bytes[cursor.at++] ?? 0
  if (byte < 0x80) return byte
  let value = byte & 0x7f
  for (let worth = 0x80; byte >= 0x80; worth *= 0x80) {
    byte = bytes[cursor.at++] ?? 0
    // Not by bits: a time may have more than 32 of them.
    value += (byte & 0x7f) * worth
  }
  return value
}

/** Small numbers of either sign are short: 0, -1, 1, -2 are written as 0, 1, 2, 3. */
export function readSigned(cursor: ByteCursor): number {
  const value = readUnsigned(cursor)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** A length that is one too large, so that 0 can mean that there is nothing; -1 then. */
export function readCompactLength(cursor: ByteCursor): number {
  return readUnsigned(cursor) - 1
}

/** Fields that came with a later version of Kafka; none of them means anything to us. */
export function skipTaggedFields(cursor: ByteCursor): void {
  for (let left = readUnsigned(cursor); left > 0 && cursor.at < cursor.end; left--) {
    readUnsigned(cursor)
    const length = readUnsigned(cursor)
    cursor.at += length
  }
}
