import { describe, expect, test } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Delivery } from '../seam.ts'
import { createHoldings, type Held } from './holdings.ts'
import { createPollPace } from './poll-pace.ts'
import { createReceiver, type Parcel } from './receiver.ts'

const mostInOne = 10

/** A server with more than anybody asks for, which answers when it is told to. */
function busyServer(mostRequests: number, unreadable?: string) {
  const clock = virtualClock()
  const asked: number[] = []
  const released: string[] = []
  const answers: (() => void)[] = []
  let last = 0

  function parcel(): Parcel<string, string> {
    const id = String(++last)
    const times = { since: clock.monotonic(), until: clock.monotonic() + 30_000, arrivedAt: clock.monotonic() }
    const held: Held<string> = {
      ...{ queue: 'work', place: 'work', address: { name: 'work' }, ...times },
      ...{ id, receipt: id, count: 1, turns: 0, suspect: false, lane: undefined },
    }
    return { held, raw: id }
  }

  const receiver = createReceiver<string, string>({
    // As timers may be: a moment early.
    clock: { ...clock, after: (ms, then, options) => clock.after(Math.max(1, ms - 1), then, options) },
    holdings: createHoldings<string>(clock, () => {}),
    pace: createPollPace(5000),
    options: { prefetch: 100, hold: 30_000 },
    limits: { mostInOne, mostRequests, waitFor: () => 1000 },
    ask(max) {
      asked.push(max)
      return new Promise((resolve) => answers.push(() => resolve(Array.from({ length: max }, parcel))))
    },
    open({ raw }) {
      if (raw === unreadable) throw new RedriveError('bad-message', 'nobody can read it')
      return { position: raw } as Delivery
    },
    release: async ({ id }) => void released.push(id),
    onClose() {},
  })
  /** A take that the next answer ends. */
  async function taken(max: number): Promise<number> {
    const taking = receiver.take(max, 5000)
    answers.shift()?.()
    return (await taking).length
  }
  /** The answer comes when nobody waits for it any more. */
  async function leftWaiting(max: number): Promise<void> {
    const taking = receiver.take(max, 1000)
    await clock.advance(1000)
    await taking
    answers.shift()?.()
    await clock.advance(1)
  }
  return { clock, asked, released, taken, leftWaiting }
}

describe('what a server is asked for', () => {
  test('is what somebody wants, where that is less than a request brings', async () => {
    const { asked, taken } = busyServer(5)
    expect([await taken(3), asked]).toEqual([3, [3]])
  })

  test('is one whole request at first, and as many as there is room for once one came back full', async () => {
    const { asked, taken } = busyServer(5)
    expect([await taken(35), asked]).toEqual([10, [10]])
    expect([await taken(35), asked]).toEqual([10, [10, 10, 10, 10]])
  })

  test('is nothing for the little room beside requests that are under way', async () => {
    const { asked, taken } = busyServer(5)
    await taken(35)
    await taken(35)
    expect([await taken(25), asked]).toEqual([10, [10, 10, 10, 10]])
  })

  test('is never more requests at one time than it is worth', async () => {
    const { asked, taken } = busyServer(2)
    await taken(100)
    await taken(100)
    expect(asked).toEqual([10, 10, 10])
    await taken(90)
    expect(asked).toEqual([10, 10, 10, 10])
  })
})

test('whoever waits is told where something came that cannot be opened, and may ask again', async () => {
  const { taken } = busyServer(1, '2')
  await expect(taken(3)).rejects.toMatchObject({ code: 'bad-message' })
  expect(await taken(3)).toBe(3)
})

test('what came when nobody waited any more is given back after a second', async () => {
  const { clock, released, leftWaiting } = busyServer(1)
  await leftWaiting(3)
  await clock.advance(997)
  expect(released).toEqual([])
  await clock.advance(10)
  expect(released).toEqual(['1', '2', '3'])
})
