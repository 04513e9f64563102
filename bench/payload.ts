import type { Message } from '../src/core/message.ts'
import { defineMessage, type MessageDefinition } from '../src/runtime/define-message.ts'

export interface Order {
  readonly order: number
  readonly merchant: string
  readonly note: string
}

const merchants = 5000
const note = 'x'.repeat(960)
const encoder = new TextEncoder()

/** About 1 KiB of JSON, as the other figures in this field use. */
export function orderMessage(order: number): Message {
  const merchant = `m${order % merchants}`
  const body = encoder.encode(JSON.stringify({ order, merchant, note } satisfies Order))
  return { id: `order-${order}`, type: 'order', contentType: 'application/json', body, headers: [], key: merchant }
}

export const orderType: MessageDefinition<Order> = defineMessage<Order>('order', undefined, { key: ({ merchant }) => merchant })
