import { describe, expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Held } from './held.ts'
import { createSessionLine } from './session-line.ts'

const patience = 10_000

function stage(ordered: boolean) {
  const clock = virtualClock()
  let offered: Held[] = []
  const line = createSessionLine({
    clock,
    ordered,
    patience,
    offer: (held) => void offered.push(held),
    takeBack() {
      const back = offered
      offered = []
      return back
    },
  })
  /** A message of the session, perhaps one that is not to be given out before a time. */
  const held = (sequence: number, notBefore?: number): Held =>
    ({
      received: {
        sequenceNumber: sequence,
        applicationProperties: notBefore === undefined ? {} : { 'redrive-not-before': notBefore },
      },
    }) as unknown as Held
  const shown = (): number[] => offered.map(({ received }) => Number(received.sequenceNumber))
  const give = (): void => void offered.shift()
  return { clock, line, held, shown, give }
}

describe('the messages of one session', () => {
  test('are offered as they come', () => {
    const { line, held, shown } = stage(true)
    for (const sequence of [1, 2, 3]) line.arrived(held(sequence))
    expect(shown()).toEqual([1, 2, 3])
  })

  test('wait behind one that comes again, those that were on their way too', () => {
    const { line, held, shown, give } = stage(true)
    line.arrived(held(1))
    line.arrived(held(2))
    give()
    line.returning(held(1), true)
    line.arrived(held(3))
    expect(shown()).toEqual([])
    line.arrived(held(1))
    expect(shown()).toEqual([1, 2, 3])
  })

  test('are taken out where nothing comes again any more, but for those that stand before what was to', () => {
    const { line, held, shown, give } = stage(true)
    line.arrived(held(2))
    line.arrived(held(3))
    line.arrived(held(1, Number.MAX_SAFE_INTEGER))
    give()
    expect(line.takeStranded()).toEqual([])
    line.returning(held(2), true)
    expect(line.takeStranded().map(({ received }) => received.sequenceNumber)).toEqual([3])
    expect([line.takeStranded(), shown()]).toEqual([[], []])
  })

  test('go on when it does not come again after all', () => {
    const { line, held, shown, give } = stage(true)
    line.arrived(held(1))
    line.arrived(held(2))
    give()
    line.returning(held(1), true)
    line.returning(held(1), false)
    expect(shown()).toEqual([2])
  })

  test('go on when it has been waited for long enough since it has left us: it may be dead', async () => {
    const { clock, line, held, shown, give } = stage(true)
    const first = held(1)
    line.arrived(first)
    line.arrived(held(2))
    give()
    line.returning(first, true)
    await clock.advance(patience - 1)
    line.left(first)
    await clock.advance(patience - 1)
    expect(shown()).toEqual([])
    await clock.advance(1)
    expect(shown()).toEqual([2])
  })

  test('wait until it has left us, however long that takes: it cannot come before', async () => {
    const { clock, line, held, shown, give } = stage(true)
    const first = held(1)
    line.arrived(first)
    line.arrived(held(2))
    give()
    line.returning(first, true)
    await clock.advance(5 * patience)
    expect(shown()).toEqual([])
    line.left(first)
    await clock.advance(patience)
    expect(shown()).toEqual([2])
  })

  test('wait for nothing once the session is over, whatever is heard of it then', async () => {
    const { clock, line, held } = stage(true)
    line.arrived(held(1))
    line.returning(held(1), true)
    line.end()
    line.returning(held(1), true)
    expect(clock.pending).toBe(0)
  })

  test('know what they wait for', () => {
    const { line, held } = stage(true)
    line.arrived(held(1))
    expect([line.awaitsAny(), line.awaits(held(1))]).toEqual([false, false])
    line.returning(held(1), true)
    expect([line.awaitsAny(), line.awaits(held(1)), line.awaits(held(2))]).toEqual([true, true, false])
    line.arrived(held(1))
    expect(line.awaitsAny()).toBe(false)
  })

  test('wait until the first one may be given out', async () => {
    const { clock, line, held, shown } = stage(true)
    line.arrived(held(1, clock.now() + 500))
    line.arrived(held(2))
    expect(shown()).toEqual([])
    await clock.advance(499)
    expect(shown()).toEqual([])
    await clock.advance(1)
    expect(shown()).toEqual([1, 2])
  })

  test('do not wait for each other where they have no order', async () => {
    const { clock, line, held, shown } = stage(false)
    line.arrived(held(1, clock.now() + 500))
    line.arrived(held(2))
    expect(shown()).toEqual([2])
    await clock.advance(500)
    expect(shown()).toEqual([2, 1])
  })

  test('are not offered when they are due, once they were given back', async () => {
    const { clock, line, held, shown } = stage(true)
    const later = held(1, clock.now() + 1000)
    line.arrived(later)
    line.left(later)
    await clock.advance(1000)
    expect(shown()).toEqual([])
  })
})
