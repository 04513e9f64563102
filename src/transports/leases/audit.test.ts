import { expect, it } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createAudit } from './audit.ts'
import { createHoldings, type Held } from './holdings.ts'
import type { Hold } from './protocol.ts'

const account = { came() {}, left() {}, settles() {}, departed() {} }

function held(until: number): Held {
  const hold = { id: 7, fence: 1 }
  const rest = { position: '7', suspect: false, counted: false, channel: 1, address: { name: 'work' }, lane: 'k', account }
  return { hold, until, ...rest }
}

/** An audit that has asked about one message whose lease has ended, and has no answer yet. */
async function asked() {
  const clock = virtualClock()
  const holdings = createHoldings(clock)
  const question = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<readonly Hold[]>()
  const audit = createAudit(clock, holdings, () => {
    question.resolve()
    return answer.promise
  })
  const old = held(clock.now())
  holdings.add(old)
  audit.start()
  await Promise.all([clock.advance(1000), question.promise])
  async function answered(holds: readonly Hold[]): Promise<void> {
    answer.resolve(holds)
    await new Promise((resolve) => setImmediate(resolve))
    audit.stop()
  }
  return { clock, holdings, old, answered }
}

it('lets go of what somebody else has', async () => {
  const { old, answered } = await asked()
  await answered([old.hold])
  expect(old.loss?.code).toBe('hold-lost')
})

it('keeps what was given back unseen and claimed again, with the same number, while it asked', async () => {
  const { clock, holdings, old, answered } = await asked()
  holdings.remove(old)
  const again = held(clock.now() + 30_000)
  holdings.add(again)
  await answered([old.hold])
  expect(again.loss).toBeUndefined()
  expect(holdings.all()).toEqual([again])
})
