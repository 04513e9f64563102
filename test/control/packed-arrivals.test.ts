import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Arrival } from '../../src/vault/arrival.ts'
import { packIngest, packIngested, unpackIngest, unpackIngested } from '../../src/vault/sqlite/packed-arrivals.ts'
import { arrival, deadLetter, noon } from './letters.fixture.ts'

/** Everything a letter may lack is missing in one of them, and every kind of identity is there. */
function batch(): readonly Arrival[] {
  const foreign = { body: null, headers: [] }
  return [
    arrival(
      deadLetter({ n: 1, correlation: 'c-1', key: 'k', version: '1.0', service: 's', attempts: 3, replay: 7, generation: 2 }),
    ),
    arrival(deadLetter({ n: 2, error: 'größer als 💥', body: '' }), { broker: 'kept', position: 'dlq/0/1' }),
    arrival(foreign),
    arrival({ ...foreign, body: randomBytes(300) }, { deliveredBefore: true }),
    arrival(deadLetter({ n: 3 })),
  ]
}

test('a batch comes out of the thread as it went in', () => {
  const ingest = { source: 3, now: noon, position: 'dlq/0/9', arrivals: batch() }
  const { bytes, ...rest } = packIngest(ingest)
  const travelled = structuredClone({ ...rest, bytes }, { transfer: [bytes.buffer] })
  expect(bytes.byteLength).toBe(0)
  expect(structuredClone(unpackIngest(travelled))).toEqual(structuredClone(ingest))
})

test('what is packed is a copy: letters that have to be tried again are still there', () => {
  const arrivals = batch()
  const before = structuredClone(arrivals)
  const { bytes } = packIngest({ source: 1, now: noon, arrivals })
  structuredClone(bytes, { transfer: [bytes.buffer] })
  expect(structuredClone(arrivals)).toEqual(before)
})

test('a cause travels once, however many letters it has', () => {
  const arrivals = Array.from({ length: 100 }, (_, n) => arrival(deadLetter({ n })))
  expect(packIngest({ source: 1, now: noon, arrivals }).causes).toHaveLength(1)
})

test('the answer comes back as it was given', () => {
  const letters = [3, 4, 0, 2 ** 40].map((id) => ({ id, duplicate: id % 4 === 0 }))
  const answer = { letters, reopenedCauses: [7] }
  expect(unpackIngested(structuredClone(packIngested(answer)))).toEqual(answer)
})
