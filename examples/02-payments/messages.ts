import { z } from 'zod'
import { defineMessage, type MessageDefinition } from '../../src/redrive.ts'

/** The channels of the payment flow, in the order in which a payment passes through them. */
export const channels = {
  transactions: 'transaction.created',
  deadTransactions: 'dlq.transaction.created',
  settlements: 'settlement.requested',
  deadSettlements: 'dlq.settlement.requested',
  invalidSettlements: 'invalid.settlement.requested',
} as const

export interface Payment {
  readonly id: string
  /** The number of the payment in its run; what becomes of it depends on this and on the seed. */
  readonly number: number
  readonly amountCents: number
  readonly currency: string
}

const payment = z.object({
  id: z.string().min(1),
  number: z.int().positive(),
  amountCents: z.int().positive(),
  currency: z.string().length(3),
})

export const TransactionCreated: MessageDefinition<Payment> = defineMessage(channels.transactions, payment)
export const SettlementRequested: MessageDefinition<Payment> = defineMessage(channels.settlements, payment)
