import { RedriveError } from '../../core/errors.ts'

/** Reads numbers as Kafka writes them, one after the other. Whoever has one knows that there are as many bytes as it reads. */
export interface ByteCursor {
  readonly bytes: Buffer
  /** Where the next read begins. */
  at: number
}

export function readInt16(cursor: ByteCursor): number {
  cursor.at += 2
  return cursor.bytes.readInt16BE(cursor.at - 2)
}

export function readInt32(cursor: ByteCursor): number {
  cursor.at += 4
  return cursor.bytes.readInt32BE(cursor.at - 4)
}

export function readInt64(cursor: ByteCursor): bigint {
  cursor.at += 8
  return cursor.bytes.readBigInt64BE(cursor.at - 8)
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
  return signed(readUnsigned(cursor))
}

export function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** Bytes as they came from a connection, in pieces: to put 4 MiB together costs more than to read them. */
export interface PieceCursor {
  readonly pieces: readonly Buffer[]
  /** The piece, and where in it, the next read begins. */
  index: number
  at: number
  /** How many bytes there are from here on. */
  left: number
}

export function cursorOver(pieces: readonly Buffer[]): PieceCursor {
  return { pieces, index: 0, at: 0, left: pieces.reduce((sum, { length }) => sum + length, 0) }
}

/** So many bytes in one piece, where they are if they lie together. At most as many as are left. */
export function takeBytes(cursor: PieceCursor, length: number): ByteCursor {
  const piece = pieceAt(cursor)
  const { at } = cursor
  if (piece.length - at >= length) {
    cursor.at += length
    cursor.left -= length
    return { bytes: piece, at }
  }
  const bytes = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length; ) {
    const from = pieceAt(cursor)
    const copied = from.copy(bytes, filled, cursor.at)
    filled += copied
    cursor.at += copied
  }
  cursor.left -= length
  return { bytes, at: 0 }
}

export function skipBytes(cursor: PieceCursor, length: number): void {
  cursor.left -= length
  for (let left = length; left > 0; ) {
    const step = Math.min(left, pieceAt(cursor).length - cursor.at)
    cursor.at += step
    left -= step
  }
}

export function readSignedAcross(cursor: PieceCursor): number {
  let value = 0
  let byte = 0x80
  for (let worth = 1; byte >= 0x80; worth *= 0x80) {
    byte = pieceAt(cursor)[cursor.at] ?? 0
    cursor.at++
    cursor.left--
    value += (byte & 0x7f) * worth
  }
  return signed(value)
}

function pieceAt(cursor: PieceCursor): Buffer {
  let piece = cursor.pieces[cursor.index]
  while (piece && cursor.at >= piece.length) {
    cursor.at = 0
    piece = cursor.pieces[++cursor.index]
  }
  if (!piece) throw new RedriveError('refused', 'What Kafka sent ends in the middle of a record.')
  return piece
}
