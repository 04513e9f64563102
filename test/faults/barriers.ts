import type { Delivery, Settlement, Transport } from '../../src/transports/seam.ts'
import { faultChannels } from './messages.ts'

/**
 * Named points between the steps of a plan. A process that reaches the point it was given tells its parent, and that message
 * stands still there while the others go on; the parent then kills it, so the kill hits exactly that point and no sleep is needed.
 */
export const barrierPoints = [
  'before-handler',
  'after-handler',
  'before-complete',
  'after-complete-sent',
  'after-complete',
  'before-retry',
  'after-retry-sent',
  'after-retry',
  'before-letter',
  'after-letter-sent',
  'after-letter',
] as const

export type BarrierPoint = (typeof barrierPoints)[number]
export type Reach = (point: BarrierPoint) => Promise<void>

/** `passes` messages go through the point first, so that the kill finds a consumer with full hands. */
export function createBarrier(chosen: string | undefined, passes: number): Reach {
  let seen = 0
  return async (point) => {
    if (point !== chosen || seen++ !== passes) return
    process.send?.(point)
    await new Promise(() => {})
  }
}

/** The real transport, with a point before, in and after everything that changes what the broker holds. */
export function withBarriers(transport: Transport, reach: Reach): Transport {
  return {
    ...transport,
    async settle(delivery: Delivery, settlement: Settlement) {
      const step = stepName(settlement)
      if (step === undefined) return transport.settle(delivery, settlement)
      await around(step, reach, () => transport.settle(delivery, settlement))
    },
    // Where a retry is a copy, it is sent to where its original came from.
    send: (address, message, options) =>
      around(address.name === faultChannels.work ? 'retry' : 'letter', reach, () => transport.send(address, message, options)),
  }
}

type StepName = 'complete' | 'retry' | 'letter'

function stepName({ kind }: Settlement): StepName | undefined {
  if (kind === 'complete' || kind === 'retry') return kind
  return kind === 'move' || kind === 'reject' ? 'letter' : undefined
}

async function around<T>(step: StepName, reach: Reach, work: () => Promise<T>): Promise<T> {
  await reach(`before-${step}`)
  const working = work()
  working.catch(() => {})
  await reach(`after-${step}-sent`)
  const result = await working
  await reach(`after-${step}`)
  return result
}
