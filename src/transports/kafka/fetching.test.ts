import * as kafka from '@platformatic/kafka'
import { Reader, Writer } from '@platformatic/kafka'
import { describe, expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { writeBatch } from './batch-format.ts'
import type { Cluster } from './cluster.ts'
import { createFetching } from './fetching.ts'
import { createLane, fetchedTo, type Lane, readOn } from './lane.ts'
import { toRecord } from './new-record.ts'
import type { Settings } from './options.ts'

const recordsInAnAnswer = 900

/** A broker with one busy partition and an empty one, and somebody who takes from the busy one. */
function busyAndEmpty() {
  const clock = virtualClock()
  const [busy, empty] = [0, 1].map((partition) => createLane({ topic: 'orders', partition }, 0n, null)) as [Lane, Lane]
  const ours = new Map([busy, empty].map((lane) => [lane.name, lane]))
  /** As `partitions waiting`. */
  const asked: string[] = []
  const answers: (() => void)[] = []
  const send = (...[, , write, read, , , done]: unknown[]) => {
    const request = requestOf(write as () => Writer)
    asked.push(`${request.partitions.map(({ partition }) => partition).join('+')} ${request.maxWait}`)
    answers.push(() => {
      const busyAt = request.partitions.find(({ partition }) => partition === 0)?.from
      const answer = answerOf(
        request.partitions.map(({ partition }) => ({ partition, from: partition === 0 ? busyAt : undefined })),
      )
      ;(done as (error: null, value: unknown) => void)(null, (read as (...all: unknown[]) => unknown)(0, 1, 12, answer))
    })
  }
  let isIdle = false
  const fetching = createFetching(
    {
      kafka: Promise.resolve(kafka),
      topic: async () => ({ name: 'orders', leaders: [1, 1], replicas: 1 }),
      broker: async () => ({ send }),
      forget: () => {},
    } as unknown as Cluster,
    { clock } as unknown as Settings,
    1,
    ours,
    { isIdle: () => isIdle, arrived: () => {}, trouble: () => {}, lost: () => {} },
  )
  return {
    clock,
    ours,
    busy,
    empty,
    asked,
    fetching,
    idle(now: boolean) {
      isIdle = now
      fetching.look()
      return clock.settle()
    },
    async answer() {
      answers.shift()?.()
      await clock.settle()
    },
    async takeAll(lane: Lane) {
      while (readOn(lane, 100)) for (const { offset } of lane.ledger.take(100, 0)) lane.ledger.complete(offset)
      fetching.look()
      await clock.settle()
    },
  }
}

function requestOf(write: () => Writer) {
  const reader = Reader.from(write())
  reader.readInt32()
  const maxWait = reader.readInt32()
  reader.skip(17)
  const topics = reader.readArray(() => {
    reader.readString()
    return reader.readArray(() => {
      const partition = reader.readInt32()
      reader.readInt32()
      const from = reader.readInt64()
      reader.skip(16)
      return { partition, from }
    })
  })
  return { maxWait, partitions: topics.flat() }
}

/** Nothing for those without an offset. */
function answerOf(partitions: readonly { partition: number; from: bigint | undefined }[]): Reader {
  const writer = Writer.create()
    .appendInt32(0)
    .appendInt16(0)
    .appendInt32(0)
    .appendArray(['orders'], (topic, name) => {
      topic.appendString(name).appendArray([...partitions], (each, { partition, from }) => {
        const records = from === undefined ? Buffer.alloc(0) : batchFrom(from)
        each.appendInt32(partition).appendInt16(0).appendInt64(0n).appendInt64(0n).appendInt64(0n)
        each.appendArray([], () => {}).appendInt32(-1)
        each.appendUnsignedVarInt(records.length + 1).append(records)
      })
    })
    .appendTaggedFields()
  return Reader.from(writer)
}

function batchFrom(from: bigint): Buffer {
  const limits = { maxBody: 100, maxHeaders: 100 } as Parameters<typeof toRecord>[2]
  const record = toRecord({ body: Buffer.from('x'), headers: [] }, undefined, limits)
  const pending = { topic: 'orders', partition: 0, record, deadline: 0, resolve: () => {}, reject: () => {} }
  const records = Array.from({ length: recordsInAnAnswer }, () => pending)
  const batch = writeBatch(
    { records, producer: { id: 1n, epoch: 0, sequences: new Map() }, sequence: 0, isUnsure: false },
    0,
    kafka.crc32c,
  )
  batch.writeBigInt64BE(from, 0)
  return batch
}

describe('fetching', () => {
  it('asks for more as soon as what was fetched has been handed out', async () => {
    const { clock, fetching, asked, answer, takeAll, busy } = busyAndEmpty()
    fetching.proceed()
    await clock.settle()
    await answer()
    expect(asked).toEqual(['0+1 250'])
    await takeAll(busy)
    await answer()
    expect(asked.slice(1)).toEqual(['0+1 250'])
    expect(fetchedTo(busy)).toBe(1800n)
  })

  it('while one has enough to go on with, those that had nothing are asked again after a while, and without waiting', async () => {
    const { clock, fetching, asked, answer, busy } = busyAndEmpty()
    fetching.proceed()
    await clock.settle()
    await answer()
    expect([asked, busy.unreadRecords]).toEqual([['0+1 250'], recordsInAnAnswer])
    await clock.advance(249)
    expect(asked).toHaveLength(1)
    await clock.advance(1)
    expect(asked.slice(1)).toEqual(['0+1 0'])
  })

  it('where nothing of what was fetched can be handed out yet, the broker may wait for something else', async () => {
    const { clock, fetching, asked, answer, idle } = busyAndEmpty()
    fetching.proceed()
    await clock.settle()
    await answer()
    await idle(true)
    expect(asked.slice(1)).toEqual(['0+1 250'])
  })

  it('what was asked for a partition that went and came back is not for the one that came', async () => {
    const { clock, fetching, answer, ours } = busyAndEmpty()
    fetching.proceed()
    await clock.settle()
    const back = createLane({ topic: 'orders', partition: 0 }, 0n, null)
    ours.set(back.name, back)
    await answer()
    expect([fetchedTo(back), back.unreadRecords]).toEqual([0n, 0])
  })
})
