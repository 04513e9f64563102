import { describe, expect, it } from 'vitest'
import { createLanes, type Lanes } from './lanes.ts'
import type { Turn } from './turn.ts'

function laneOf(count: number): { lanes: Lanes; turns: Turn[] } {
  const lanes = createLanes()
  const turns = Array.from({ length: count }, () => ({}) as Turn)
  for (const turn of turns) lanes.enter(turn, 'key')
  return { lanes, turns }
}

describe('who goes back behind a turn that comes again', () => {
  it('is everybody who waits, when it was at the head', () => {
    const { lanes, turns } = laneOf(3)
    expect(lanes.sendBackWaiting(turns[0] as Turn)).toEqual(turns.slice(1))
  })

  it('is only who stands behind it, when it waited itself', () => {
    const { lanes, turns } = laneOf(4)
    expect(lanes.sendBackWaiting(turns[2] as Turn)).toEqual(turns.slice(2))
    expect(lanes.leave(turns[0] as Turn)).toBe(turns[1])
  })

  it('is nobody, when it has left its lane already', () => {
    const { lanes, turns } = laneOf(3)
    lanes.leave(turns[0] as Turn)
    expect(lanes.sendBackWaiting(turns[0] as Turn)).toEqual([])
    expect(lanes.leave(turns[1] as Turn)).toBe(turns[2])
  })
})
