import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createOwnPast } from '../visibility/own-past.ts'
import { type Provenance, parcelOf } from './delivery.ts'

const from: Provenance = {
  queue: { name: 'work', url: 'http://127.0.0.1/queue/work', maxMessage: 262_144 },
  ...{ place: 'http://127.0.0.1/queue/work', address: { name: 'work' }, since: 0, until: 30_000, arrivedAt: 0 },
}

/** What one answer brought, as the messages stand to whoever takes them. */
function standings(groups: readonly (readonly [id: string, group: string, count: number])[], isOrdered: boolean) {
  const past = createOwnPast(virtualClock())
  const ahead = isOrdered ? new Set<string>() : undefined
  return groups.map(([MessageId, MessageGroupId, count]) => {
    const raw = { MessageId, Attributes: { MessageGroupId, ApproximateReceiveCount: `${count}` } }
    const { held } = parcelOf(raw, from, ahead, past)
    if (held.lane !== undefined) ahead?.add(held.lane)
    return [held.id, held.turns, held.suspect]
  })
}

test('what was counted for a message group is a turn of its first message alone, and all of it are suspects', () => {
  const comesAgain = standings(
    [
      ['a', 'g', 4],
      ['b', 'g', 4],
      ['c', 'other', 3],
      ['d', 'g', 1],
    ],
    true,
  )
  expect(comesAgain).toEqual([
    ['a', 3, true],
    ['b', 0, true],
    ['c', 2, true],
    ['d', 0, false],
  ])
})

test('without order the count tells of no turns', () => {
  expect(standings([['a', 'g', 4]], false)).toEqual([['a', 0, true]])
})
