import { expect, it } from 'vitest'
import { virtualClock } from '../platform/virtual-clock.ts'
import { toldOnce } from './told-once.ts'

function listening() {
  const clock = virtualClock({ start: 0 })
  const heard: string[] = []
  return { clock, heard, say: toldOnce(clock, (problem) => heard.push(problem)) }
}

it('a problem is told once, however often it is met, and another one at once', () => {
  const { heard, say } = listening()
  for (let met = 0; met < 100; met++) say('dlq.orders', 'unreachable')
  say('dlq.refunds', 'unreachable')
  say('dlq.orders', 'access-denied')
  say('dlq.orders', 'unreachable')
  expect(heard).toEqual([
    'dlq.orders: unreachable',
    'dlq.refunds: unreachable',
    'dlq.orders: access-denied',
    'dlq.orders: unreachable',
  ])
})

it('a problem that stays is told again after ten minutes', async () => {
  const { clock, heard, say } = listening()
  say('dlq.orders', 'unreachable')
  await clock.advance(10 * 60_000 - 1)
  say('dlq.orders', 'unreachable')
  await clock.advance(1)
  say('dlq.orders', 'unreachable')
  expect(heard).toEqual(['dlq.orders: unreachable', 'dlq.orders: still unreachable'])
})
