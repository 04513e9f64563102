import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createPatience } from './patience.ts'

const ms = 1000

function stage() {
  const clock = virtualClock()
  const patience = createPatience(clock, ms)
  const told: string[] = []
  const begin = (name: string): (() => void) => {
    const late = (): void => void told.push(name)
    patience.begin(late)
    return late
  }
  return { clock, patience, told, begin }
}

test('each waits for equally long, from when it was asked for', async () => {
  const { clock, told, begin } = stage()
  begin('first')
  await clock.advance(400)
  begin('second')
  await clock.advance(599)
  expect(told).toEqual([])
  await clock.advance(1)
  expect(told).toEqual(['first'])
  await clock.advance(399)
  expect(told).toEqual(['first'])
  await clock.advance(1)
  expect(told).toEqual(['first', 'second'])
})

test('what was answered in time is never told as late, and what was told is not waiting any more', async () => {
  const { clock, patience, told, begin } = stage()
  const answered = begin('answered')
  const silent = begin('silent')
  expect(patience.end(answered)).toBe(true)
  expect(patience.end(answered)).toBe(false)
  await clock.advance(ms)
  expect(told).toEqual(['silent'])
  expect(patience.end(silent)).toBe(false)
})

test('it waits anew after everything was answered', async () => {
  const { clock, patience, told, begin } = stage()
  patience.end(begin('answered'))
  await clock.advance(ms / 2)
  begin('silent')
  await clock.advance(ms - 1)
  expect(told).toEqual([])
  await clock.advance(1)
  expect(told).toEqual(['silent'])
})
