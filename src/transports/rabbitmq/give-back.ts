import { RedriveError } from '../../core/errors.ts'
import type { RabbitDelivery } from './delivery.ts'
import type { Batch } from './settle.ts'

/** So many deliveries look like nobody's fault: the first of them that had no answer is blamed on no message. */
const tolerated = 2

/**
 * Gives a delivery back unrun. It returns to the front of its queue, and a quorum queue counts it as if whoever had it had died. When
 * many consumers stop at one time, one after the other would be given it, until it is taken for poison. So what has been counted before
 * goes back as a fresh copy, at the end of the queue: out of its place, but blamed for nothing.
 */
export function giveBack(delivery: RabbitDelivery): Batch {
  const { origin } = delivery
  if (origin.queueType === 'quorum' && delivery.deliveries > tolerated) return replace(delivery)
  origin.settled()
  return origin.ledger.nack(delivery, true)
}

function replace(delivery: RabbitDelivery): Batch {
  const { origin, message } = delivery
  const isCopied = origin.send(message).then(
    () => true,
    () => false,
  )
  const batch = { failed: false, done: isCopied.then(settle) }
  batch.done.catch(() => {
    batch.failed = true
  })
  return batch

  function settle(copied: boolean): Promise<void> {
    if (delivery.hold.signal.aborted) throw new RedriveError('hold-lost', 'The channel by which this delivery came is gone.')
    const { done } = copied ? origin.ledger.ack(delivery) : origin.ledger.nack(delivery, true)
    origin.settled()
    return done
  }
}
