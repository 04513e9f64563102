import type { Random } from '../core/ports.ts'
import { PermanentError } from '../core/tagged-errors.ts'
import { defineMessage, type MessageDefinition } from '../runtime/define-message.ts'
import type { StandardSchema } from '../runtime/standard-schema.ts'

export interface Payment {
  readonly number: number
  readonly merchant: string
  readonly currency: string
  readonly cents: number
}

export const channels = { settlements: 'settlement.requested', deadSettlements: 'dlq.settlement.requested' } as const

/** A validator written by hand, so that the demo needs no library of its own. */
const paymentSchema: StandardSchema<Payment> = {
  '~standard': {
    version: 1,
    vendor: 'redrive-demo',
    validate(value) {
      const { number, merchant, currency, cents } = (value ?? {}) as Partial<Payment>
      const isPayment = [typeof number, typeof merchant, typeof currency, typeof cents].join() === 'number,string,string,number'
      return isPayment ? { value: value as Payment } : { issues: [{ message: 'not a payment' }] }
    },
  },
}

export const SettlementRequested: MessageDefinition<Payment> = defineMessage('settlement.requested', paymentSchema, {
  key: ({ merchant }) => merchant,
})

const merchants = ['bakery', 'bookshop', 'florist', 'garage']

export function drawPayment(number: number, random: Random): Payment {
  return {
    number,
    merchant: merchants[Math.floor(random() * merchants.length)] ?? 'bakery',
    currency: random() < 0.05 ? 'XAU' : 'EUR',
    cents: 100 + Math.floor(random() * 100_000),
  }
}

/** What goes wrong in the demo: four causes, of which the first is mended when the acquirer is repaired. */
export interface Acquirer {
  isDown: boolean
}

export function settle({ number, merchant, currency, cents }: Payment, acquirer: Acquirer): void {
  if (currency === 'XAU') throw new PermanentError('We settle in EUR and USD only', { reason: 'UnknownCurrency' })
  if (merchant === 'garage' && number % 3 === 0) throw new PermanentError('The account is closed', { reason: 'AccountClosed' })
  if (cents > 95_000) throw new TypeError("Cannot read properties of undefined (reading 'limit')")
  if (acquirer.isDown && number % 4 === 0)
    throw new PermanentError('The acquirer refuses our certificate', { reason: 'Acquirer' })
}
