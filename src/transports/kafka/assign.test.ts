import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assign, type GroupMember, type Place, placeName } from './assign.ts'

const topics = ['orders', 'orders.billing.retry', 'mails']

function member(id: string, subscribed: readonly string[], owned: readonly string[] = [], generation = 1): GroupMember {
  return { id, topics: subscribed, owned: owned.map(place), generation }
}

function place(name: string): Place {
  const [topic = '', partition = ''] = name.split('/')
  return { topic, partition: Number(partition) }
}

function names(plan: ReadonlyMap<string, readonly Place[]>, id: string): string[] {
  return (plan.get(id) ?? []).map(placeName).sort()
}

/** Rounds until nobody has to let anything go, as a group makes them. */
function settle(members: readonly GroupMember[], partitionsOf: (topic: string) => number): readonly GroupMember[] {
  let current = members
  for (let round = 1; round < 10; round++) {
    const plan = assign(current, partitionsOf)
    const next = current.map((each) => ({ ...each, owned: plan.get(each.id) ?? [], generation: round + 1 }))
    const isSame = next.every((each, index) => each.owned.length === current[index]?.owned.length)
    current = next
    if (isSame) return current
  }
  throw new Error('It never settles.')
}

const anyGroup = fc.record({
  partitions: fc.integer({ min: 1, max: 12 }),
  members: fc
    .array(fc.subarray(topics, { minLength: 1 }), { minLength: 1, maxLength: 6 })
    .map((all) => all.map((subscribed, index) => member(`m${index}`, subscribed))),
})

describe('who reads what', () => {
  it('whoever is alone has everything', () => {
    expect(
      names(
        assign([member('a', ['orders'])], () => 3),
        'a',
      ),
    ).toEqual(['orders/0', 'orders/1', 'orders/2'])
  })

  it('whoever has the only partition keeps it when another comes', () => {
    const plan = assign([member('b', ['orders']), member('z', ['orders'], ['orders/0'])], () => 1)
    expect([names(plan, 'z'), names(plan, 'b')]).toEqual([['orders/0'], []])
  })

  it('a partition that is to move is given to nobody before its owner has let it go', () => {
    const before = [member('a', ['orders'], ['orders/0', 'orders/1']), member('b', ['orders'])]
    const plan = assign(before, () => 2)
    expect([names(plan, 'a'), names(plan, 'b')]).toEqual([['orders/0'], []])
    const after = assign([member('a', ['orders'], ['orders/0']), member('b', ['orders'])], () => 2)
    expect([names(after, 'a'), names(after, 'b')]).toEqual([['orders/0'], ['orders/1']])
  })

  it('of two who claim one partition, the one of the later generation has it', () => {
    const plan = assign([member('a', ['orders'], ['orders/0'], 3), member('b', ['orders'], ['orders/0'], 7)], () => 1)
    expect([names(plan, 'a'), names(plan, 'b')]).toEqual([[], ['orders/0']])
  })

  it('nobody is given a topic that it does not read', () => {
    const plan = assign([member('a', ['orders']), member('b', ['mails'])], () => 2)
    expect([names(plan, 'a'), names(plan, 'b')]).toEqual([
      ['orders/0', 'orders/1'],
      ['mails/0', 'mails/1'],
    ])
  })

  it('every partition is read by exactly one who subscribed, evenly, however the group came about', () => {
    fc.assert(
      fc.property(anyGroup, ({ members, partitions }) => {
        const settled = settle(members, () => partitions)
        for (const topic of new Set(members.flatMap((each) => each.topics))) {
          const shares = settled
            .filter((each) => each.topics.includes(topic))
            .map((each) => each.owned.filter((its) => its.topic === topic).length)
          expect(shares.reduce((sum, share) => sum + share, 0)).toBe(partitions)
          expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
        }
        const all = settled.flatMap((each) => each.owned.map(placeName))
        expect(new Set(all).size).toBe(all.length)
      }),
    )
  })

  it('never has one partition in two hands, in any round of a group that changes', () => {
    fc.assert(
      fc.property(anyGroup, fc.array(fc.nat(5), { maxLength: 3 }), ({ members, partitions }, leaving) => {
        const settled = settle(members, () => partitions)
        const left = settled.filter((_, index) => !leaving.includes(index))
        const joined = [...left, member('new', topics)]
        const plan = assign(joined, () => partitions)
        for (const each of joined) {
          for (const given of plan.get(each.id) ?? []) {
            const owner = joined.find((other) => other.owned.some((its) => placeName(its) === placeName(given)))
            expect(owner === undefined || owner.id === each.id).toBe(true)
          }
        }
      }),
    )
  })
})
