import { describe, expect, test } from 'vitest'
import { fairMove } from './fair-shares.ts'

const of = (...counts: readonly number[]): ReadonlyMap<string, number> =>
  new Map(counts.map((count, member) => [String(member), count]))

describe('what one takes and gives back', () => {
  test.each([
    ['alone, it takes everything', 6, of(0), { take: 6, giveBack: 0 }],
    ['beside two others, its third', 6, of(0, 0, 0), { take: 2, giveBack: 0 }],
    ['of what does not divide, one more where nobody has less', 7, of(2, 2, 2), { take: 1, giveBack: 0 }],
    ['and none where somebody has less', 7, of(2, 1, 2), { take: 0, giveBack: 0 }],
    ['when another one comes, it gives back half', 6, of(6, 0), { take: 0, giveBack: 3 }],
    ['when there are fewer sources than that, one', 2, of(2, 0, 0), { take: 0, giveBack: 1 }],
    ['it keeps what differs by one', 3, of(2, 1), { take: 0, giveBack: 0 }],
    ['of those who have most, the first gives back', 6, of(2, 2, 2, 0), { take: 0, giveBack: 1 }],
  ])('%s', (_, shares, members, move) => {
    expect(fairMove({ shares, members, me: '0' })).toEqual(move)
  })

  test('and the others do not', () => {
    expect(fairMove({ shares: 6, members: of(2, 2, 2, 0), me: '1' }).giveBack).toBe(0)
  })

  /** One after the other, until nobody moves any more; nobody ever has what another one has, because they come out of one heap. */
  function settle(shares: number, counts: number[]): void {
    let free = shares - counts.reduce((sum, count) => sum + count, 0)
    for (let moved = true, round = 0; moved; round++) {
      if (round > 100) throw new Error(`They do not come to rest: ${counts}`)
      moved = false
      for (const me of counts.keys()) {
        const { take, giveBack } = fairMove({ shares, members: of(...counts), me: String(me) })
        const change = Math.min(take, free) - giveBack
        counts[me] = (counts[me] ?? 0) + change
        free -= change
        moved ||= change !== 0
      }
    }
    expect([free, Math.max(...counts) - Math.min(...counts) <= 1]).toEqual([0, true])
  }

  test('they come to rest, with everything shared out and nobody two ahead of another, wherever they begin', () => {
    for (let shares = 1; shares <= 9; shares++) {
      for (let members = 1; members <= 5; members++) {
        for (let first = 0; first <= shares; first++) settle(shares, [first, ...Array<number>(members - 1).fill(0)])
      }
    }
  })
})
