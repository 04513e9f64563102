import * as kafka from '@platformatic/kafka'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../core/message.ts'
import { writeBatch } from './batch-format.ts'
import { toMessage } from './message.ts'
import { toRecord } from './new-record.ts'
import { type FetchedBatch, readBatches } from './records.ts'

const limits = { maxBody: 1e6, maxHeaders: 1e6 } as Parameters<typeof toRecord>[2]
const { crc32c, createRecordsBatch, Reader, readRecordsBatches } = kafka
const now = 1_700_000_000_000

const bytes = fc.uint8Array({ maxLength: 300 })
const messages: fc.Arbitrary<readonly Message[]> = fc.array(
  fc.record(
    {
      body: fc.option(bytes),
      headers: fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 80 }), bytes), { maxLength: 5 }),
      key: fc.string({ maxLength: 80 }),
      id: fc.string(),
      type: fc.string(),
      contentType: fc.constant('application/json'),
      correlationId: fc.uuid(),
    },
    { requiredKeys: ['body', 'headers'] },
  ),
  { minLength: 1, maxLength: 150 },
)

/** As one producer sends them, from its seventh message on. */
function written(all: readonly Message[]): Buffer {
  const producer = { id: 12n, epoch: 3, sequences: new Map() }
  const records = all.map((message) => ({
    topic: 'orders',
    partition: 0,
    record: toRecord(message, undefined, limits),
    deadline: 0,
    resolve: () => {},
    reject: () => {},
  }))
  return writeBatch({ records, producer, sequence: 6, isUnsure: false }, now, crc32c)
}

function inPieces(whole: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % whole.length), whole.length])].sort((one, other) => one - other)
  return places.slice(1).map((end, index) => whole.subarray(places[index], end))
}

function read(pieces: readonly Buffer[]) {
  return readBatches(kafka, pieces, []).flatMap((batch) => [...recordsOf(batch)])
}

function* recordsOf(batch: FetchedBatch) {
  for (let read = batch.read(); read; read = batch.read()) yield read
}

describe('a batch of records', () => {
  it('is read as it was written, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(messages, fc.array(fc.nat(), { maxLength: 8 }), (all, cuts) => {
        const found = read(inPieces(written(all), cuts))
        expect(found.map(({ offset }) => offset)).toEqual(all.map((_, index) => BigInt(index)))
        for (const [index, { record }] of found.entries()) {
          const { native, body, ...rest } = toMessage(record)
          const sent = all[index] as Message
          expect(rest).toEqual({
            ...sent,
            body: undefined,
            headers: sent.headers.map(([name, value]) => [name, asBuffer(value)]),
          })
          expect(body && [...body]).toEqual(sent.body && [...sent.body])
          expect(native?.properties).toEqual({ timestamp: now })
        }
      }),
    )
  })

  it('is what the client library writes and reads', () => {
    fc.assert(
      fc.property(messages, (all) => {
        const [batch] = readRecordsBatches(Reader.from(written(all)))
        expect(batch).toMatchObject({
          producerId: 12n,
          producerEpoch: 3,
          firstSequence: 6,
          magic: 2,
          lastOffsetDelta: all.length - 1,
        })
        expect(batch?.crc).toBe(crc32c(written(all).subarray(21)))
        const ours = read([written(all)]).map(({ record }) => toMessage(record).body)
        expect(batch?.records.map(({ value }) => value)).toEqual(ours)
      }),
    )
  })

  it('is read whichever way the library compressed it', () => {
    const values = Array.from({ length: 50 }, (_, index) => Buffer.from(`value ${index} `.repeat(9)))
    for (const compression of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] satisfies kafka.CompressionAlgorithmValue[]) {
      const records = values.map((value) => ({ topic: 'orders', partition: 0, value, timestamp: BigInt(now) }))
      const batch = createRecordsBatch(records, { compression })
      const found = read(inPieces(batch.buffer, [10, 70, 100, 150]))
      expect([compression, found.map(({ record }) => String(toMessage(record).body))]).toEqual([compression, values.map(String)])
    }
  })

  it('is left for the next fetch where it was cut', () => {
    const whole = written([{ body: Buffer.from('one'), headers: [] }])
    const cut = Buffer.concat([whole, whole.subarray(0, -1)])
    expect(readBatches(kafka, [cut], []).map(({ left, next }) => [left, next])).toEqual([[1, 1n]])
  })
})

function asBuffer(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value
}
