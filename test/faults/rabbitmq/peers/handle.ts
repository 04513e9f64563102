import { appendRecord, type HandlerRecord } from '../../handler-log.ts'
import type { Kind } from '../../messages.ts'
import type { ConsumerOrder } from '../order.ts'

/** What a peer's process is told; the same as our own consumers. */
export const order = JSON.parse(process.argv[2] ?? '{}') as ConsumerOrder

/** The same handler that our own consumers have, and the same log; throws where it fails. */
export function handle({ number, kind }: { readonly number: number; readonly kind: Kind }, attempt: number): void {
  const tell = (what: HandlerRecord['what']) => appendRecord(order.log, { what, number, life: order.life })
  tell('started')
  if (kind === 'bad' || (kind === 'flaky' && attempt === 1)) {
    tell('failed')
    throw new Error('the handler failed')
  }
  tell('succeeded')
}

/** Retries before a peer gives up, as many as ours. */
export const retries: number = order.turns - 1

export function ready(): void {
  // Whoever started us is gone, however that came about.
  process.on('disconnect', () => process.exit())
  process.on('SIGTERM', () => process.exit(0))
  process.send?.('ready')
}
