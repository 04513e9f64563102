import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { names } from '../../src/core/dialects/letter-headers.ts'
import { redriveHeaders } from '../../src/core/letter.ts'
import type { Header, Message } from '../../src/core/message.ts'
import { arrivalOf, type Found } from '../../src/ops/arrival-of.ts'
import type { Arrival } from '../../src/vault/arrival.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { serverVault } from './vaults-under-test.ts'

export const noon: number = Date.UTC(2026, 10, 16, 12)

export interface Described {
  readonly n: number
  readonly error?: string
  readonly type?: string
  readonly channel?: string
  readonly correlation?: string
  readonly key?: string
  readonly version?: string
  readonly service?: string
  readonly headers?: readonly Header[]
  readonly failedAt?: number
  readonly attempts?: number
  readonly body?: string
  readonly replay?: number
  readonly generation?: number
}

/** A dead letter as our runtime writes it. */
export function deadLetter(described: Described): Message {
  const { n, error = 'card declined', type = 'Error', channel = 'orders', failedAt = noon } = described
  const optional = (name: string, value: string | number | undefined): Header[] =>
    value === undefined ? [] : [[name, String(value)]]
  return {
    id: `message-${n}`,
    body: Buffer.from(described.body ?? JSON.stringify({ order: n })),
    type: 'order.placed',
    ...(described.correlation !== undefined && { correlationId: described.correlation }),
    ...(described.key !== undefined && { key: described.key }),
    headers: [
      ...(described.headers ?? []),
      [redriveHeaders.letter, `letter-${n}`],
      [names.reason, 'NonRetryableError'],
      [names.errorType, type],
      [names.description, error],
      [names.failedAt, new Date(failedAt).toISOString()],
      [redriveHeaders.originChannel, channel],
      ...optional(names.version, described.version),
      ...optional(names.service, described.service),
      ...optional(names.failedAttempts, described.attempts),
      ...optional(redriveHeaders.replay, described.replay),
      ...optional(redriveHeaders.generation, described.generation),
    ],
  }
}

export function arrival(message: Message, found: Partial<Found> = {}): Arrival {
  return arrivalOf(
    { message, channel: 'dlq.orders', deliveredBefore: false, broker: 'completing', ...found },
    noon,
    randomBytes(8),
  )
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-vault-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function openVault(file: string = join(temporaryFolder(), 'vault.db')): Vault {
  const vault = serverVault(file) ?? sqliteVault({ file })
  onTestFinished(() => vault.close())
  return vault
}

export async function sourceIn(vault: Vault, channel = 'dlq.orders', connection = 'shop'): Promise<number> {
  return (await vault.write('registerSource', { connection, channel, part: '', group: '' })).id
}

export async function keep(
  vault: Vault,
  source: number,
  messages: readonly Message[],
  now: number = noon,
): Promise<readonly number[]> {
  const { letters } = await vault.write('ingest', { source, now, arrivals: messages.map((message) => arrival(message)) })
  return letters.map(({ id }) => id)
}
