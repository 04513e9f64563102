import type { Consumer, Producer } from '../../src/redrive.ts'
import { channels, SettlementRequested, TransactionCreated } from './messages.ts'

/** Processes each new transaction and requests its settlement. */
export function declareTransactionWorker(consumer: Consumer, producer: Producer): void {
  consumer
    .channel(channels.transactions, { deadLetter: channels.deadTransactions })
    .on(TransactionCreated, async (transaction, ctx) => {
      // Should this worker die after the send, the transaction is delivered again; where the broker deduplicates, the id keeps it at
      // one settlement.
      await producer.send(SettlementRequested, transaction, {
        id: transaction.id,
        correlationId: ctx.correlationId,
        dedupId: `settlement:${transaction.id}`,
      })
    })
}
