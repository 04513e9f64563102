import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formBatch, isDue } from './form.ts'

/** Who stands directly ahead of whom. */
type Aheads = Readonly<Record<string, string>>

describe('forming a batch', () => {
  it.each<[string, string[], number, Aheads, string[]]>([
    ['takes everybody who waits', ['a', 'b'], 10, {}, ['a', 'b']],
    ['takes the first ones', ['a', 'b', 'c'], 2, {}, ['a', 'b']],
    ['takes nobody when nobody waits', [], 10, {}, []],
    ['takes a lane in order', ['a1', 'a2', 'a3'], 10, { a2: 'a1', a3: 'a2' }, ['a1', 'a2', 'a3']],
    ['leaves behind whose predecessor is elsewhere', ['a2', 'b'], 10, { a2: 'a1' }, ['b']],
    ['leaves no gap in a lane', ['a1', 'a3', 'b'], 10, { a2: 'a1', a3: 'a2' }, ['a1', 'b']],
    ['leaves behind who came before its predecessor', ['a2', 'a1'], 10, { a2: 'a1' }, ['a1']],
    ['cuts a lane where it is full', ['a1', 'a2', 'a3'], 2, { a2: 'a1', a3: 'a2' }, ['a1', 'a2']],
  ])('%s', (_, waiting, size, ahead, batch) => {
    expect(formBatch(waiting, size, (member) => ahead[member])).toEqual(batch)
  })

  it('holds a lane in order and without a gap, whoever waits', () => {
    const lane = Array.from({ length: 8 }, (_, n) => n)
    const waiting = fc.tuple(fc.shuffledSubarray(lane), fc.integer({ min: 1, max: 8 }))
    fc.assert(
      fc.property(waiting, ([members, size]) => {
        const batch = formBatch(members, size, (n) => (n === 0 ? undefined : n - 1))
        expect(batch).toEqual(lane.slice(0, batch.length))
        expect(batch.length).toBeLessThanOrEqual(size)
      }),
    )
  })
})

describe('a batch', () => {
  const readiness = { count: 1, size: 3, waited: 0, wait: 100, isStill: false }
  it.each([
    ['waits for others', {}, false],
    ['goes when it is full', { count: 3 }, true],
    ['goes when its first message has waited long enough', { waited: 100 }, true],
    ['goes at once where nothing more can come', { isStill: true }, true],
    ['does not go without any message', { count: 0, isStill: true, waited: 100 }, false],
    ['waits for nothing where it is told so', { wait: 0 }, true],
  ])('%s', (_, given, due) => {
    expect(isDue({ ...readiness, ...given })).toBe(due)
  })
})
