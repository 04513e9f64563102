import { describe, expect, test } from 'vitest'
import { type VirtualClock, virtualClock } from '../../platform/virtual-clock.ts'
import type { Lease } from './lease.ts'
import { usualTiming } from './lease-timing.ts'
import { keepRenewing } from './renewal.ts'
import { takeShares } from './take-shares.ts'

interface Row {
  token: string
  endsAt: number
}

/** The leases of a server whose clock is ours. */
function server(clock: VirtualClock) {
  const leases = new Map<string, Row>()
  const members = new Map<string, number>()
  const state = { membersWork: true }
  const isCurrent = ({ endsAt }: Row): boolean => clock.monotonic() < endsAt
  const later = (): number => clock.monotonic() + usualTiming.lasts
  const memberOf = (token: string): string => token.split('/', 1)[0] ?? ''

  function leaseOf(share: string): Lease {
    return {
      async take(token) {
        const held = leases.get(share)
        if (held && isCurrent(held)) return false
        leases.set(share, { token, endsAt: later() })
        return true
      },
      async giveBack(token) {
        const held = leases.get(share)
        if (held?.token === token) held.endsAt = Number.NEGATIVE_INFINITY
      },
      holder: async () => undefined,
    }
  }

  /** One that knows these, until it is stopped, or is `dead` and neither looks nor renews. */
  function join(me: string, shares: readonly string[]) {
    const works = new Set<string>()
    const life = { isDead: false }
    async function alive<T>(answer: () => T): Promise<T> {
      if (life.isDead) throw new Error('dead')
      return answer()
    }
    const renewals = keepRenewing({
      ...{ clock, timing: usualTiming },
      renew: (tokens) =>
        alive(() => {
          const ours = [...leases.values()].filter(({ token }) => tokens.includes(token))
          for (const row of ours) row.endsAt = later()
          return new Set(ours.map(({ token }) => token))
        }),
    })
    let tokens = 0
    const taking = takeShares({
      ...{ shares, me, leaseOf, renewals, clock, timing: usualTiming, newToken: () => String(++tokens) },
      leases: {
        tidy: async () => {},
        look: () =>
          alive(() => {
            members.set(me, later())
            const held = [...leases].filter(([, row]) => isCurrent(row))
            return {
              members: [...members].filter(([, endsAt]) => clock.monotonic() < endsAt).map(([member]) => member),
              held: new Map(held.map(([share, { token }]) => [share, { member: memberOf(token), name: '', since: 0 }])),
              membersWork: state.membersWork,
            }
          }),
        depart: async () => void members.delete(me),
      },
      async work(share) {
        works.add(share)
        return async () => void works.delete(share)
      },
      onFree() {},
      onProblem(error) {
        throw error
      },
    })
    return { works, life, ...taking }
  }

  return { join, leases, state }
}

const six = ['a', 'b', 'c', 'd', 'e', 'f']

async function settled(clock: VirtualClock): Promise<void> {
  for (let look = 0; look < 10; look++) await clock.advance(usualTiming.lookEvery)
}

describe('what is shared out', () => {
  test('is one’s own when it is alone, and half of it is another one’s who comes; who leaves gives everything back', async () => {
    const clock = virtualClock()
    const { join } = server(clock)
    const one = join('one', six)
    await settled(clock)
    expect(one.works.size).toBe(6)
    const other = join('other', six)
    await settled(clock)
    expect([one.works.size, other.works.size, new Set([...one.works, ...other.works]).size]).toEqual([3, 3, 6])
    await one.stop()
    await settled(clock)
    expect([one.works.size, other.works.size]).toEqual([0, 6])
    await other.stop()
  })

  test('is left to one that dies until its leases have ended; one that comes back works on nothing that another one has', async () => {
    const clock = virtualClock()
    const { join } = server(clock)
    const [one, other] = [join('one', six), join('other', six)]
    await settled(clock)
    one.life.isDead = true
    await clock.advance(usualTiming.lasts - usualTiming.renewEvery - usualTiming.lookEvery)
    expect(other.works.size).toBe(3)
    await settled(clock)
    expect(other.works.size).toBe(6)
    one.life.isDead = false
    await clock.advance(usualTiming.renewEvery)
    expect([...one.works].filter((share) => other.works.has(share))).toEqual([])
    await settled(clock)
    expect([one.works.size, other.works.size]).toEqual([3, 3])
    await Promise.all([one.stop(), other.stop()])
  })

  test('and is known to one alone is its own, beyond its share, and stays so', async () => {
    const clock = virtualClock()
    const { join, leases } = server(clock)
    const [one, other] = [join('one', six), join('other', ['a', 'b'])]
    await settled(clock)
    await settled(clock)
    expect(new Set([...one.works, ...other.works]).size).toBe(6)
    const tokens = [...leases.values()].map(({ token }) => token)
    await settled(clock)
    expect([...leases.values()].map(({ token }) => token)).toEqual(tokens)
    await Promise.all([one.stop(), other.stop()])
  })

  test('is nobody’s while somebody works who does not share', async () => {
    const clock = virtualClock()
    const { join, state } = server(clock)
    const one = join('one', six)
    await settled(clock)
    state.membersWork = false
    await settled(clock)
    expect(one.works.size).toBe(0)
    state.membersWork = true
    await settled(clock)
    expect(one.works.size).toBe(6)
    await one.stop()
  })
})
