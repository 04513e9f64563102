import type { Message } from '../../core/message.ts'
import { nameOf } from '../leases/name-of.ts'
import { contentOf } from '../leases/outgoing.ts'
import type { Address, Receipt } from '../seam.ts'
import { defaultMaxBody, postgresCapabilities } from './capabilities.ts'
import { notificationName } from './listener.ts'
import { sendStatement, unknownChannel } from './statements.ts'

/** A client of `pg` on which the caller has begun a transaction. */
export interface UserTransaction {
  query(sql: string, values: unknown[]): Promise<{ readonly rows: unknown[] }>
}

export interface EnqueueOptions {
  /** As that of the transport. Default: `redrive`. */
  readonly schema?: string
  /** Milliseconds during which it is not delivered. */
  readonly delay?: number
}

/**
 * Sends inside the caller's own transaction: the message is there when that commits, and never was when it does not. No other
 * outbox is needed.
 *
 * ```ts
 * await client.query('BEGIN')
 * await client.query('INSERT INTO orders …')
 * await enqueue(client, { name: 'orders' }, message)
 * await client.query('COMMIT')
 * ```
 */
export async function enqueue(
  transaction: UserTransaction,
  address: Address,
  message: Message,
  { schema = 'redrive', delay = 0 }: EnqueueOptions = {},
): Promise<Receipt> {
  const content = contentOf(message, postgresCapabilities(defaultMaxBody).messages)
  const { sql, values } = sendStatement(schema, [{ to: nameOf(address), content, delay }])
  const { rows } = await transaction.query(sql, [...values])
  const [sent] = rows as { readonly message: string | number | null; readonly channel: number }[]
  if (sent === undefined || sent.message === null) throw unknownChannel(nameOf(address))
  await transaction.query('SELECT pg_notify($1, $2)', [notificationName(schema), String(sent.channel)])
  return { position: String(sent.message), duplicate: false }
}
