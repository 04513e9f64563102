import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { CopiedRows } from './copied-rows.ts'

const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
const end = Buffer.from([0xff, 0xff])

function row(...members: readonly (Buffer | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(members.length)
  return Buffer.concat([count, ...members.flatMap((member) => (member ? [lengthOf(member), member] : [lengthOf(null)]))])
}

function lengthOf(member: Buffer | null): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(member?.byteLength ?? -1)
  return length
}

function bigint(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}

test('numbers, texts and bytes are read as they were written', () => {
  const float = Buffer.alloc(8)
  float.writeDoubleBE(1.5)
  const read: unknown[] = []
  const written = row(
    bigint(2n ** 53n - 1n),
    Buffer.from([0, 0, 1, 0]),
    float,
    Buffer.from('ü"\\'),
    Buffer.from([0, 255]),
    Buffer.from([1]),
  )
  new CopiedRows().read(Buffer.concat([header, written, end]), (row) =>
    read.push(row.bigint(), row.integer(), row.float(), row.text(), row.bytes(), row.boolean()),
  )
  expect(read).toEqual([2 ** 53 - 1, 256, 1.5, 'ü"\\', Buffer.from([0, 255]), true])
})

test('what is null is null, whatever it would have been', () => {
  const read: unknown[] = []
  new CopiedRows().read(Buffer.concat([header, row(null, null, null, null, null, null), end]), (row) =>
    read.push(row.bigint(), row.integer(), row.float(), row.text(), row.bytes(), row.boolean()),
  )
  expect(read).toEqual([null, null, null, null, null, null])
})

test('only what comes first has a header, and one that has grown is passed over', () => {
  const rows = new CopiedRows()
  const read: unknown[] = []
  const grown = Buffer.concat([header.subarray(0, 15), Buffer.from([0, 0, 0, 3]), Buffer.from('new')])
  for (const chunk of [Buffer.concat([grown, row(bigint(-1n))]), row(bigint(7n)), end])
    rows.read(chunk, (row) => read.push(row.bigint()))
  expect(read).toEqual([-1, 7])
})

test('bytes stay what they are when the library writes something else where they stood', () => {
  const chunk = Buffer.concat([header, row(Buffer.from('kept')), end])
  const read: (Buffer | null)[] = []
  new CopiedRows().read(chunk, (row) => read.push(row.bytes()))
  chunk.fill(0)
  expect(String(read[0])).toBe('kept')
})
