import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Delivery, Receiver } from '../transports/seam.ts'
import { createIntake } from './intake.ts'
import type { ChannelScope } from './scope.ts'

/** How many of a large batch are admitted before the event loop has gone on; it goes on when `soon` is called. */
async function admittedAtOnce(inOrder: boolean): Promise<number> {
  const batch = Array.from({ length: 100 }, () => ({ suspect: false }) as Delivery)
  const batches = [batch]
  const receiver: Receiver = {
    lost: new AbortController().signal,
    take: async () => batches.pop() ?? new Promise(() => {}),
    async close() {},
  }
  const scope = {
    inOrder,
    settings: { name: 'work', prefetch: 200, hold: 1000 },
    transport: { capabilities: { hold: 'lock' }, receive: async () => receiver },
    platform: { clock: { soon() {} } },
  } as unknown as ChannelScope
  let admitted = 0
  const intake = createIntake(scope, { room: () => 1000, admit: () => void admitted++, lost() {} })
  await intake.start()
  await turn()
  return admitted
}

test('what was taken is admitted after the next take has been asked for', async () => {
  expect(await admittedAtOnce(false)).toBe(0)
})

test('in order it is in its lane at once: what comes back meanwhile must find those behind it there, or they run before it', async () => {
  expect(await admittedAtOnce(true)).toBe(100)
})
