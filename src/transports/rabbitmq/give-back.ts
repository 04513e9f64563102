import { RedriveError } from '../../core/errors.ts'
import { withHeaders } from '../../core/headers.ts'
import { redriveHeaders } from '../../core/letter.ts'
import type { RabbitDelivery } from './delivery.ts'
import type { Batch } from './settle.ts'

/**
 * Gives a delivery back unrun. It returns to the front of its queue, and a quorum queue counts it as if whoever had it had died. When
 * many consumers stop at one time, one after the other would be given it, until it is taken for poison. The first time is blamed on
 * nobody. What has been counted before goes back as a fresh copy, at the end of the queue: out of its place, but blamed for nothing more,
 * and with a mark that lets it run alone, since it may have been a death all the same.
 */
export function giveBack(delivery: RabbitDelivery): Batch {
  const { origin } = delivery
  if (origin.queueType === 'quorum' && delivery.suspect) return replace(delivery)
  origin.settled()
  return origin.ledger.nack(delivery, true)
}

function replace(delivery: RabbitDelivery): Batch {
  const { origin, message } = delivery
  const marked = { ...message, headers: withHeaders(message.headers, [[redriveHeaders.suspect, '1']]) }
  const isCopied = origin.send(marked).then(
    () => true,
    () => false,
  )
  const batch = { failed: false, done: isCopied.then(settle) }
  batch.done.catch(() => {
    batch.failed = true
  })
  origin.replacing(batch.done)
  return batch

  function settle(copied: boolean): Promise<void> {
    if (delivery.hold.signal.aborted) throw new RedriveError('hold-lost', 'The channel by which this delivery came is gone.')
    const { done } = copied ? origin.ledger.ack(delivery) : origin.ledger.nack(delivery, true)
    origin.settled()
    return done
  }
}
