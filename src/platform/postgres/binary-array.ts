import { Buffer } from 'node:buffer'

/** The server's numbers of the types that members of an array have. */
export const typeNumbers = { bigint: 20, text: 25, bytea: 17 } as const

/** One dimension, whether a member is null, the type of the members, how many, and the number of the first: four bytes each. */
const headBytes = 20
const lengthBytes = 4
const nullLength = -1

/**
 * Arrays as the server itself sends them: nothing is quoted or parsed, and a member takes as many bytes as it has. The library sends a `Buffer` as it
 * is, and says to the server that it is binary.
 */
export function textArray(texts: readonly (string | null)[]): Buffer {
  const array = newArray(typeNumbers.text, texts, Buffer.byteLength)
  let at = headBytes
  for (const text of texts) {
    const length = text === null ? nullLength : array.write(text, at + lengthBytes)
    array.writeInt32BE(length, at)
    at += lengthBytes + Math.max(0, length)
  }
  return array
}

export function bytesArray(type: number, members: readonly (Uint8Array | null)[]): Buffer {
  const array = newArray(type, members, ({ byteLength }) => byteLength)
  let at = headBytes
  for (const member of members) {
    at = array.writeInt32BE(member?.byteLength ?? nullLength, at)
    if (!member) continue
    array.set(member, at)
    at += member.byteLength
  }
  return array
}

function newArray<Member>(type: number, members: readonly (Member | null)[], sizeOf: (member: Member) => number): Buffer {
  let bytes = headBytes
  for (const member of members) bytes += lengthBytes + (member === null ? 0 : sizeOf(member))
  const array = Buffer.allocUnsafe(bytes)
  const head = [1, Number(members.includes(null)), type, members.length, 1]
  for (const [place, part] of head.entries()) array.writeInt32BE(part, place * lengthBytes)
  return array
}
