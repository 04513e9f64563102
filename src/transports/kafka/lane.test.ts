import { describe, expect, it } from 'vitest'
import { createLane, isSuspectNext, keep, type Lane, takeFrom } from './lane.ts'
import type { FetchedBatch } from './records.ts'

const place = { topic: 'orders', partition: 0 }
const record = { bytes: Buffer.from([0]), timestamp: 0, keyAt: 0, keyLength: -1, valueAt: 0, valueLength: -1, headersAt: 0 }

function fetched(from: number, count: number, valueLength = record.valueLength): FetchedBatch {
  let read = 0
  return {
    next: BigInt(from + count),
    size: 10,
    get left() {
      return count - read
    },
    read: () => (read < count ? { offset: BigInt(from + read++), record: { ...record, valueLength } } : undefined),
  }
}

function taken(lane: Lane, max: number): number[] {
  return takeFrom(lane, max, 0).map(({ offset }) => Number(offset))
}

/** As a crash leaves it: this one was begun, and those before it were not. */
function withSuspectAt(offset: number): Lane {
  return createLane(place, 0n, `redrive1||${offset.toString(36)}|`)
}

describe('a partition while it is ours', () => {
  it.each([1, 10, 199, 200, 201, 250])('a suspect behind %i others is not handed out with them', (others) => {
    const lane = withSuspectAt(others)
    keep(lane, [fetched(0, 300)])
    expect(isSuspectNext(lane, 0)).toBe(false)
    expect(taken(lane, 300)).toEqual(Array.from({ length: others }, (_, index) => index))
    expect(isSuspectNext(lane, 0)).toBe(true)
    expect(taken(lane, 1)).toEqual([others])
  })

  it('what waits for its time does not hide what was not read yet', () => {
    const lane = createLane(place, 0n, null)
    keep(lane, [fetched(0, 1)])
    taken(lane, 1)
    lane.ledger.retry(0n, 1000)
    keep(lane, [fetched(1, 5)])
    // Without a key they are one key, which waits for its first.
    expect(taken(lane, 10)).toEqual([])
    expect(takeFrom(lane, 10, 1000).map(({ offset }) => Number(offset))).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('what others have done already keeps no room, wherever it stands', () => {
    // As another member left it: 1 to 99 are done, and behind them nothing is.
    const lane = createLane(place, 0n, `redrive1|1+${(99).toString(36)}||`)
    keep(lane, [fetched(0, 200, 1000)])
    const handedOut = taken(lane, 200)
    expect([handedOut.length, lane.bufferedBytes]).toEqual([101, 101 * 1000])
  })

  it('offsets that hold nothing are passed, and keep nothing back', () => {
    const lane = createLane(place, 0n, null)
    keep(lane, [fetched(0, 2), fetched(2, 0), fetched(7, 2)])
    for (const offset of taken(lane, 10)) lane.ledger.complete(BigInt(offset))
    expect([lane.ledger.commit(false).offset, lane.unreadRecords, lane.bufferedBytes]).toEqual([9n, 0, 0])
  })
})
