import type { Chain } from '../core/chain.ts'
import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Turn } from './turn.ts'
import type { WakeUp } from './wake-up.ts'

/** What is aborted at the end of a drain may still tidy up for this long before it is released under its feet. */
const abortGrace = 1000

/** Lets what is in hand finish within `limit` milliseconds, then tells the rest to stop. `left` calls whenever one has left. */
export async function drain(inHand: Chain<Turn>, left: WakeUp, clock: Clock, limit: number): Promise<void> {
  await emptyWithin(limit)
  for (const turn of inHand) {
    turn.cancelled = true
    turn.context?.abort(new RedriveError('closed', 'the consumer is stopping'))
  }
  await emptyWithin(abortGrace)

  async function emptyWithin(ms: number): Promise<void> {
    let expired = false
    const cancel = clock.after(ms, () => {
      expired = true
      left.call()
    })
    while (inHand.size > 0 && !expired) await left.wait()
    cancel()
  }
}
