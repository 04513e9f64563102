import { expect, test } from 'vitest'
import { sourceTrends } from '../../src/ops/alerts/source-trends.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import { raise } from './alerting.fixture.ts'
import { noon, openVault, sourceIn } from './letters.fixture.ts'

const hour = 3_600_000
const channel = 'dlq.orders'
const subject = { source: 'shop', queue: channel }

test('the number of a source is told step by step, as it was last seen in each, and is never 0 where nobody looked', async () => {
  const vault = openVault()
  const source = await sourceIn(vault, channel, 'shop')
  await sourceIn(vault, 'dlq.not.configured', 'shop')
  const clock = virtualClock({ start: noon })
  const saw = (letters: number, cameTotal: number, wentTotal: number) =>
    raise(vault, [{ subject, values: { letters, cameTotal, wentTotal } }], clock.now())
  await saw(3, 0, 0)
  await clock.advance(hour / 2)
  await saw(7, 4, 0)
  await clock.advance(1.5 * hour)
  await raise(vault, [{ subject, failed: 'unreachable' }], clock.now())
  await clock.advance(hour)
  await saw(0, 9, 12)
  await clock.advance(hour)
  await saw(2, 12, 13)
  const configured = [{ connection: 'shop', transport: memory(), address: { name: channel }, mode: 'collect' as const }]
  const [trend, ...others] = await sourceTrends(configured, vault, clock, { count: 6, step: hour })
  expect(others).toEqual([])
  expect(trend).toMatchObject({ source, connection: 'shop', channel, part: '' })
  expect(trend?.steps.map(({ letters }) => letters)).toEqual([null, 3, 7, null, 0, 2])
  expect(trend?.steps.map(({ came }) => came)).toEqual([null, null, 4, null, null, 3])
  expect(trend?.steps.map(({ went }) => went)).toEqual([null, null, 0, null, null, 1])
  expect(trend?.steps.at(-1)?.at).toBe(noon + 4 * hour)
})
