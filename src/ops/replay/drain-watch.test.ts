import { expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Transport } from '../../transports/seam.ts'
import { createDrainWatch } from './drain-watch.ts'

const orders = { connection: 'shop', channel: 'orders' }

it('a replay that waits for nothing looks once, and does not look for ever', async () => {
  const clock = virtualClock()
  const transport = { measure: async () => ({ pending: 0 }) } as unknown as Transport
  const watch = createDrainWatch(() => transport, clock, 0)
  await watch.look(orders)
  expect(watch.emptyBy(orders, clock.now())).toBe(clock.now())
})
