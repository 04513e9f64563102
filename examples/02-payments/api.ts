import { setTimeout as sleep } from 'node:timers/promises'
import { createProducer, type Producer } from '../../src/redrive.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { fateOf } from './fate.ts'
import { channels, type Payment, TransactionCreated } from './messages.ts'
import { untilChannelExists } from './until-channel-exists.ts'

export interface ApiOptions {
  readonly transport: Transport
  readonly seed: number
  /** Tells the payments of this run from those of earlier runs on the same file. */
  readonly run: string
  readonly count: number
  /** Milliseconds between two payments. */
  readonly every: number
  readonly signal: AbortSignal
  readonly created: (payment: Payment) => void
}

/** The API server: creates transactions and publishes each, until there are enough or it is told to stop. */
export async function runApi(options: ApiOptions): Promise<void> {
  const { transport, count, every, signal, created } = options
  await untilChannelExists(transport, channels.transactions, signal)
  const producer = createProducer({ transport })
  for (let number = 1; number <= count && !signal.aborted; number++) {
    created(await createTransaction(producer, options, number))
    if (every > 0) await sleep(every, undefined, { signal }).catch(() => {})
  }
}

async function createTransaction(producer: Producer, { seed, run }: ApiOptions, number: number): Promise<Payment> {
  const { amountCents, currency } = fateOf(seed, number)
  const payment = { id: `tx-${run}-${String(number).padStart(5, '0')}`, number, amountCents, currency }
  await producer.send(TransactionCreated, payment, { id: payment.id, correlationId: payment.id })
  return payment
}
