import { describe, expect, test } from 'vitest'
import { type VirtualClock, virtualClock } from '../../platform/virtual-clock.ts'
import type { Lease, Renew } from './lease.ts'
import { usualTiming } from './lease-timing.ts'
import { keepRenewing } from './renewal.ts'
import type { Turn } from './serve-turn.ts'
import { takeTurns } from './take-turns.ts'

/** The row of a server whose clock is ours; `isAway` while it does not answer. */
function server(clock: VirtualClock) {
  const row = { token: '', endsAt: Number.NEGATIVE_INFINITY, isAway: false }
  async function answered<T>(value: () => T): Promise<T> {
    if (row.isAway) throw new Error('away')
    return value()
  }
  const lease: Lease = {
    take: (token) =>
      answered(() => {
        if (clock.monotonic() < row.endsAt) return false
        Object.assign(row, { token, endsAt: clock.monotonic() + usualTiming.lasts })
        return true
      }),
    giveBack: (token) =>
      answered(() => {
        if (row.token === token) row.endsAt = Number.NEGATIVE_INFINITY
      }),
    holder: async () => undefined,
  }
  const renew: Renew = (tokens) =>
    answered(() => {
      if (!tokens.includes(row.token)) return new Set()
      row.endsAt = clock.monotonic() + usualTiming.lasts
      return new Set([row.token])
    })
  return { row, lease, renew }
}

function instance(name: string, clock: VirtualClock, { lease, renew }: Pick<ReturnType<typeof server>, 'lease' | 'renew'>) {
  const log: string[] = []
  let turn: Turn | undefined
  let tokens = 0
  const renewals = keepRenewing({ renew, clock, timing: usualTiming })
  const turns = takeTurns({
    ...{
      lease,
      renewals,
      clock,
      timing: usualTiming,
      newToken: () => `${name}-${++tokens}`,
      onProblem: () => log.push('problem'),
    },
    async work(given) {
      turn = given
      log.push('begin')
      return async () => void log.push('end')
    },
  })
  return { log, turns, isOurs: () => turn?.isOurs() ?? false }
}

describe('control planes that take turns', () => {
  test('one works for as long as it renews its lease, and the next one when it leaves', async () => {
    const clock = virtualClock()
    const all = server(clock)
    const one = instance('one', clock, all)
    await clock.advance(10)
    const other = instance('other', clock, all)
    await clock.advance(60_000)
    expect([one.log, other.log]).toEqual([['begin'], []])
    await one.turns.stop()
    await clock.advance(usualTiming.lookEvery)
    expect([one.log, other.log]).toEqual([['begin', 'end'], ['begin']])
    await other.turns.stop()
  })

  test('one that nobody answers stops counting on its lease before it ends, and counts on it again where nobody has it', async () => {
    const clock = virtualClock()
    const all = server(clock)
    const { row } = all
    const one = instance('one', clock, all)
    await clock.advance(10_000)
    row.isAway = true
    await clock.advance(usualTiming.trusted - 500)
    expect([one.isOurs(), clock.monotonic() < row.endsAt]).toEqual([false, true])
    row.isAway = false
    await clock.advance(usualTiming.renewEvery)
    expect([one.isOurs(), one.log]).toEqual([true, ['begin']])
    await one.turns.stop()
  })

  test('one that was replaced ends its work, and has another turn with another token', async () => {
    const clock = virtualClock()
    const all = server(clock)
    const { row } = all
    const one = instance('one', clock, all)
    await clock.advance(10_000)
    Object.assign(row, { token: 'of another', endsAt: clock.monotonic() + usualTiming.lasts })
    await clock.advance(usualTiming.renewEvery)
    expect([one.isOurs(), one.log]).toEqual([false, ['begin', 'end']])
    await clock.advance(usualTiming.lasts + usualTiming.lookEvery)
    expect([row.token, one.log]).toEqual([expect.stringMatching(/^one-/), ['begin', 'end', 'begin']])
    await one.turns.stop()
  })
})
