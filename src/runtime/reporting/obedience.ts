import type { ChannelOrder } from '../../core/consumer-report.ts'
import { warilyRead } from '../../core/wary.ts'

/** The channels of this consumer, as far as somebody else may steer them. */
export interface Steering {
  has(channel: string): boolean
  pause(channel: string): void
  resume(channel: string): void
}

/** More channels than any consumer has. */
const mostOrders = 1000

/**
 * Carries out what the control plane answers, each order once. An order to resume that was given before this process began says nothing to
 * it; one to pause does, because whoever paused a channel meant all its consumers, also those that are started anew. What is no order,
 * or about a channel that is not here, is passed over: an answer may come from anything.
 */
export function createObedience(channels: Steering): (answer: unknown) => void {
  const carriedOut = new Map<string, number>()
  let isFirst = true

  function carryOut({ channel, order, number }: ChannelOrder): void {
    if (!channels.has(channel) || number <= (carriedOut.get(channel) ?? 0)) return
    carriedOut.set(channel, number)
    if (order === 'pause') channels.pause(channel)
    else if (!isFirst) channels.resume(channel)
  }

  return (answer) => {
    for (const order of ordersIn(answer)) carryOut(order)
    isFirst = false
  }
}

function ordersIn(answer: unknown): readonly ChannelOrder[] {
  const orders = warilyRead(answer, 'orders')
  return Array.isArray(orders) ? orders.slice(0, mostOrders).filter(isOrder) : []
}

function isOrder(value: unknown): value is ChannelOrder {
  const { channel, order, number } = (value ?? {}) as Partial<ChannelOrder>
  return typeof channel === 'string' && (order === 'pause' || order === 'resume') && Number.isSafeInteger(number)
}
