import { RedriveError } from '../../core/errors.ts'
import { repeating } from '../leases/repeating.ts'
import type { Settlement, Transport } from '../seam.ts'
import { createUnanswered } from '../unanswered.ts'
import { createHoldings } from '../visibility/holdings.ts'
import { createOwnPast } from '../visibility/own-past.ts'
import type { PollingReceiver } from '../visibility/receiver.ts'
import { createSettling, pastName } from '../visibility/settling.ts'
import { createApi } from './api.ts'
import { sqsCapabilities } from './capabilities.ts'
import { type Held, heldOf } from './delivery.ts'
import { measure } from './measure.ts'
import { transportName } from './message.ts'
import { resolveOptions, type SqsOptions } from './options.ts'
import { provision } from './provision.ts'
import { createQueues, type Queue } from './queues.ts'
import { longestHold, receiveFrom } from './receive.ts'
import { createSend } from './send.ts'
import { createWrites } from './writes.ts'

export type { SqsOptions }

/** How often holds are looked at that may be over. Milliseconds. */
const lookEvery = 500

/**
 * Amazon SQS, or a server that speaks its language. All channels of one transport are queues of one kind: standard, or FIFO with message
 * groups as lanes. Nothing is opened before the first call.
 */
export function sqs(options: SqsOptions = {}): Transport {
  const settings = resolveOptions(options)
  const { clock } = settings
  const capabilities = sqsCapabilities(settings.queues, settings.maxMessage)
  const api = createApi(settings)
  const queues = createQueues(api, settings)
  const writes = createWrites(api, queues, settings)
  const past = createOwnPast(clock)
  const holdings = createHoldings<Queue>(clock, (held) => past.letGo(pastName(held), held.count, held))
  const receivers = new Set<PollingReceiver<Queue>>()
  const send = createSend(queues, writes, settings, capabilities)
  const watch = repeating(clock, lookEvery, holdings.loseOverdue)
  const settling = createSettling<Queue>({
    ...{ clock, holdings, past, receivers, heldOf, checkOpen, writeFor, extendingChangesReceipt: false },
    hide: ({ queue, receipt }, ms) => writes.hide(queue, receipt, Math.ceil(ms / 1000)),
  })
  const sends = createUnanswered()
  let closing: Promise<void> | undefined

  function checkOpen(): void {
    if (closing) throw new RedriveError('closed', 'The SQS transport is closed.')
  }

  function writeFor(held: Held, settlement: Settlement): () => Promise<void> {
    switch (settlement.kind) {
      case 'complete':
        return () => writes.remove(held.queue, held.receipt)
      case 'release':
        return () => settling.giveBack(held, 0, held)
      case 'retry':
        return retry(held, settlement)
      case 'reject':
        throw new RedriveError('unsupported', 'SQS dead-letters by its redrive policy alone: send the letter instead.')
      case 'move':
        throw new RedriveError('unsupported', 'SQS moves nothing in one step: send it, then complete.')
    }
  }

  function retry(held: Held, { delay, headers }: Extract<Settlement, { kind: 'retry' }>): () => Promise<void> {
    if (settings.queues === 'standard')
      throw new RedriveError('unsupported', 'A retry by visibility is not told from a crash: send a copy instead.')
    if (headers && headers.length > 0) throw new RedriveError('unsupported', 'SQS changes no headers of a message that it has.')
    const seconds = Math.ceil(delay / 1000)
    if (delay > capabilities.retry.maxDelay || seconds > secondsLeft(held))
      throw new RedriveError(
        'unsupported',
        `SQS hides a message for at most twelve hours after it was delivered; ${delay} ms is more.`,
      )
    return () => settling.giveBack(held, delay, { turns: held.turns + 1, suspect: false })
  }

  /** Of the twelve hours that Amazon lets anybody hold a message. */
  function secondsLeft({ since }: Held): number {
    return longestHold - Math.ceil((clock.monotonic() - since) / 1000)
  }

  async function closeAll(): Promise<void> {
    watch.stop()
    await Promise.all([...receivers].map((receiver) => receiver.close()))
    const reason = new RedriveError('closed', 'The SQS transport was closed; what it held was released.')
    await sends.none()
    await settling.none()
    await writes.idle()
    await settling.releaseAll(reason)
    await api.close()
  }

  return {
    name: transportName,
    capabilities,

    async provision(wanted, mode) {
      checkOpen()
      return provision(api, settings, wanted, mode)
    },

    async receive(address, receiveOptions) {
      checkOpen()
      const queue = await queues.find(address)
      checkOpen()
      const receiver = receiveFrom({
        ...{ api, queues, settings, holdings, past, queue, address, options: receiveOptions, release: settling.release },
        onClose: (closed) => receivers.delete(closed),
      })
      receivers.add(receiver)
      watch.start()
      return receiver
    },

    extend: (delivery, ms) => settling.extend(delivery, Math.ceil(ms / 1000) * 1000, (held) => secondsLeft(held) * 1000),

    settle: settling.settle,

    async send(address, message, sendOptions) {
      checkOpen()
      sends.began()
      try {
        return await send(address, message, sendOptions)
      } finally {
        sends.ended()
      }
    },

    async browse() {
      checkOpen()
      throw new RedriveError('unsupported', 'SQS shows a message only to whoever takes it: collect the queue instead.')
    },

    async remove() {
      checkOpen()
      throw new RedriveError('unsupported', 'SQS removes a message only for whoever holds it.')
    },

    async measure(address) {
      checkOpen()
      return measure(api, queues, address)
    },

    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
