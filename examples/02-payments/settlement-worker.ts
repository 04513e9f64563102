import { setTimeout as sleep } from 'node:timers/promises'
import { type Consumer, PermanentError } from '../../src/redrive.ts'
import { fateOf } from './fate.ts'
import { channels, type Payment, SettlementRequested } from './messages.ts'
import type { DeadLettering } from './options.ts'

const settledCurrencies: ReadonlySet<string> = new Set(['EUR', 'USD'])

export interface SettlementWorkerOptions {
  readonly seed: number
  /** Whether what made settlements fail is over. */
  readonly mended: boolean
  readonly deadLettering: DeadLettering
  /** Told at the start of every run which retry it is: 0, 1, 2. */
  readonly trying: (settlement: Payment, retryCount: number) => void
}

/**
 * Settles payments with an acquirer that does not always answer. A settlement is tried three times; what fails then, or cannot
 * succeed, becomes one letter in the dead-letter channel. Requests older than five minutes expire there too.
 */
export function declareSettlementWorker(consumer: Consumer, options: SettlementWorkerOptions): void {
  const { seed, mended, deadLettering, trying } = options
  consumer
    .channel(channels.settlements, {
      deadLetter: channels.deadSettlements,
      invalid: channels.invalidSettlements,
      deadLettering,
      ttl: '5m',
      retry: { delayed: { retries: 2, backoff: { first: '250ms', max: '2s' } } },
    })
    .on(SettlementRequested, async (settlement, ctx) => {
      const fate = fateOf(seed, settlement.number)
      trying(settlement, ctx.retryCount)
      if (!settledCurrencies.has(settlement.currency)) ctx.invalid('We settle in EUR and USD only')
      await sleep(fate.milliseconds, undefined, { signal: ctx.signal })
      if (mended) return
      if (fate.accountClosed) throw new PermanentError('The account is closed', { reason: 'AccountClosed' })
      if (ctx.retryCount < fate.silences) throw new Error('The acquirer does not answer')
    })
}
