import type { Progress } from './consuming.ts'
import type { Order } from './payload.ts'

/** What a message failed of, where it did. */
export type Outcome = Error | undefined

export interface ByHand<Message> {
  orderIn(message: Message): Order
  fails(order: Order): boolean
}

/**
 * The messages of one batch, handled at the same time by whoever writes a loop by hand: a handler is asynchronous and may fail, and what one of them
 * fails of is nobody else's affair. Nothing is settled before its handler is done.
 */
export function handleAll<Message>(
  messages: readonly Message[],
  work: ByHand<Message>,
  progress: Progress,
): Promise<readonly Outcome[]> {
  return Promise.all(messages.map((message) => handleOne(message, work, progress)))
}

/** Rejects never. */
export async function handleOne<Message>(
  message: Message,
  { orderIn, fails }: ByHand<Message>,
  progress: Progress,
): Promise<Outcome> {
  try {
    await handle(orderIn(message), fails, progress)
    return undefined
  } catch (error) {
    return error as Error
  }
}

async function handle(order: Order, fails: (order: Order) => boolean, progress: Progress): Promise<void> {
  progress.began()
  progress.handled()
  if (fails(order)) throw new Error('this one never works')
}

/** What was handled last is being settled when this resolves: who counts what is handled hears of it before the loop goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
