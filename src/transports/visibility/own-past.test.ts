import { expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createOwnPast } from './own-past.ts'

const clock = virtualClock()
const fresh = { turns: 0, suspect: false }

it('knows what was given back and comes again with the next count', () => {
  const past = createOwnPast(clock)
  past.letGo('a', 3, { turns: 2, suspect: true })
  expect(past.recall('a', 4)).toMatchObject({ turns: 2, suspect: true })
  expect(past.recall('a', 5)).toBeUndefined()
})

it('knows nothing of a message that somebody else had meanwhile', () => {
  const past = createOwnPast(clock)
  past.letGo('a', 3, { turns: 2, suspect: false })
  expect(past.recall('a', 5)).toBeUndefined()
})

it('knows nothing of what was not given back after all', () => {
  const past = createOwnPast(clock)
  past.letGo('a', 1, fresh)
  past.forget('a')
  expect(past.recall('a', 2)).toBeUndefined()
})

it('forgets the oldest when there are too many', () => {
  const past = createOwnPast(clock, 2)
  for (const name of ['a', 'b', 'c']) past.letGo(name, 1, fresh)
  expect(['a', 'b', 'c'].map((name) => past.recall(name, 2)?.turns)).toEqual([undefined, 0, 0])
})

it('knows for ten holds how many answers were lost', async () => {
  const past = createOwnPast(clock)
  past.missed('work', 1000)
  past.missed('work', 2000)
  expect([past.unseen('work'), past.unseen('other')]).toEqual([2, 0])
  await clock.advance(10_000)
  expect(past.unseen('work')).toBe(1)
  await clock.advance(10_000)
  expect(past.unseen('work')).toBe(0)
})
