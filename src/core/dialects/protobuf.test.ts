import { describe, expect, test } from 'vitest'
import { protobuf, utf8 } from './letters.fixture.ts'
import { readProtobuf } from './protobuf.ts'
import { readLetter } from './read-letter.ts'

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values)

describe('a protobuf', () => {
  test('is read to its last byte, the last of each field', () => {
    const fields = protobuf([
      [1, 300n],
      [2, 'ab'],
      [16, 1n],
      [1, 2n ** 64n - 1n],
      [3, ''],
    ])
    expect(readProtobuf(fields)).toEqual(
      new Map<number, bigint | Uint8Array>([
        [1, 2n ** 64n - 1n],
        [2, utf8('ab')],
        [16, 1n],
        [3, bytes()],
      ]),
    )
  })

  test.each([
    ['nothing', bytes()],
    ['a tag alone', bytes(0x08)],
    ['a field with the number 0', bytes(0x00, 0x01)],
    ['a fixed number of 64 bits', bytes(0x09, 1, 2, 3, 4, 5, 6, 7, 8)],
    ['a fixed number of 32 bits', bytes(0x0d, 1, 2, 3, 4)],
    ['bytes that end too early', bytes(0x12, 3, 0x61, 0x62)],
    ['a length alone', bytes(0x12, 3)],
    ['a number that never ends', bytes(0x08, ...Array<number>(11).fill(0x80))],
    ['a tag that never ends', bytes(...Array<number>(11).fill(0x80))],
    ['more than 64 KiB', protobuf([[2, 'a'.repeat(65_536)]])],
  ])('is not %s', (_, some) => {
    expect(readProtobuf(some)).toBeUndefined()
  })

  test('may be as long as 64 KiB', () => {
    expect(readProtobuf(protobuf([[2, 'a'.repeat(65_532)]]))?.size).toBe(1)
  })
})

describe('a letter of uForwarder', () => {
  const at = 1_705_329_137_456
  const when = [5, BigInt(at) * 1_000_000n] as const
  const read = (fields: Parameters<typeof protobuf>[0], where: 'key' | 'body' = 'key') => {
    const message = { body: null, headers: [], [where]: protobuf(fields) }
    return readLetter({ channel: 'q', message })
  }
  const dialect = (fields: Parameters<typeof protobuf>[0], where: 'key' | 'body' = 'key'): string =>
    read([...fields, when], where).dialect

  test('is told by a key or a body that fits entirely', () => {
    expect(dialect([[2, 'orders']])).toBe('uforwarder')
    expect(dialect([[2, 'orders']], 'body')).toBe('uforwarder')
    expect(
      dialect([
        [2, 'orders'],
        [7, 1n],
      ]),
    ).toBe('uforwarder')
    expect(
      dialect([
        [2, 'orders'],
        [8, 1n],
      ]),
    ).toBe('unknown')
    expect(dialect([[2, 'no topic']])).toBe('unknown')
    expect(dialect([[2, '']])).toBe('unknown')
    expect(dialect([[2, 'a'.repeat(250)]])).toBe('unknown')
    expect(dialect([[2, 1n]])).toBe('unknown')
    expect(
      dialect([
        [1, 'x'],
        [2, 'orders'],
      ]),
    ).toBe('unknown')
    expect(
      dialect([
        [6, 1n],
        [2, 'orders'],
      ]),
    ).toBe('unknown')
    expect(dialect([[1, 1n]])).toBe('unknown')
  })

  test('is no small message that happens to have a name in its second field', () => {
    const customer = protobuf([
      [1, 42n],
      [2, 'Alice'],
    ])
    expect(readLetter({ channel: 'q', message: { body: customer, headers: [] } }).dialect).toBe('unknown')
    for (const time of [1n, BigInt(at), 5_000_000_000_000_000_000n])
      expect(
        read([
          [2, 'orders'],
          [5, time],
        ]).dialect,
      ).toBe('unknown')
  })

  test('has zeros where nothing is written, as protobuf has it', () => {
    expect(read([[2, 'orders'], when]).failure).toStrictEqual({
      source: { channel: 'orders', partition: 0, offset: 0n },
      attempts: 1,
      firstSeenAt: at,
    })
  })
})
