import { expect, test } from 'vitest'
import { createDrainWatch, type DrainWatch } from '../../src/ops/replay/drain-watch.ts'
import { type VirtualClock, virtualClock } from '../../src/platform/virtual-clock.ts'
import type { Measure, Transport } from '../../src/transports/seam.ts'
import { noon } from './letters.fixture.ts'

const orders = { connection: 'shop', channel: 'orders' }

function watching(measured: Measure): { readonly watch: DrainWatch; readonly clock: VirtualClock } {
  const clock = virtualClock({ start: noon })
  const transport = { measure: async () => measured } as unknown as Transport
  return { watch: createDrainWatch(() => transport, clock, 1000), clock }
}

test('a queue that was seen empty is believed at once where everything is counted', async () => {
  const { watch } = watching({ retained: 0, pending: 0 })
  await watch.look(orders)
  expect(watch.emptyBy(orders, noon - 1)).toBeUndefined()
  expect(watch.emptyBy(orders, noon)).toBe(noon)
})

test('where counts come late, what was sent since is not believed to have been taken up', async () => {
  const { watch } = watching({ retained: 0, pending: 0, lateBy: 10_000 })
  await watch.look(orders)
  expect(watch.emptyBy(orders, noon)).toBe(noon - 10_000)
})

test('where the broker hides what others hold, it is believed when none of it can be held any more', async () => {
  const held = 60_000
  const { watch, clock } = watching({ retained: 0, pending: 0, heldUnseen: held })
  await watch.look(orders)
  expect(watch.emptyBy(orders, noon + held - 1)).toBeUndefined()
  for (let passed = 0; passed < held; passed += 1000) {
    await clock.advance(1000)
    await watch.look(orders)
  }
  expect(watch.emptyBy(orders, clock.now())).toBe(noon)
})
