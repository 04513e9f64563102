import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Broker } from '../../scripts/brokers/start.ts'
import { isServerUrl } from '../../src/core/vault-place.ts'
import { type VaultKey, type VaultKeys, vaultKeyOf } from '../../src/platform/vault-key.ts'
import { openVault } from '../../src/vault/open-vault.ts'
import { serverTarget } from '../../src/vault/postgres/copy-places.ts'
import type { Sql } from '../../src/vault/sql.ts'
import { fileTarget } from '../../src/vault/sqlite/copy-places.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { withClient } from '../brokers/postgres.ts'

export function newKey(): VaultKey {
  return vaultKeyOf(randomBytes(32))
}

export function keysOf(key: VaultKey, ...formerKeys: readonly VaultKey[]): VaultKeys {
  return { key, formerKeys }
}

/** A text that stands nowhere else: letters and digits, so that it is a word. */
export function newMarker(): string {
  return `canary${randomBytes(8).toString('hex')}`
}

/** Works with a vault as one process does, and closes it. */
export async function visit<T>(place: string, keys: VaultKeys | undefined, work: (vault: Vault) => Promise<T>): Promise<T> {
  const { vault } = await openVault(place, keys)
  try {
    return await work(vault)
  } finally {
    await vault.close()
  }
}

/** Works on the tables, behind the vault's back. */
export async function behind<T>(place: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const target = isServerUrl(place) ? await serverTarget(place) : await fileTarget(place)
  try {
    return await target.write(work)
  } finally {
    await target.close()
  }
}

/**
 * The files on the disk that hold a text, of the vault's folder or of the server's: tables, logs, whatever is there. What a server has in memory is
 * written out before.
 */
export async function filesWith(text: string, place: string, broker: Broker, under = ''): Promise<readonly string[]> {
  if (isServerUrl(place)) await withClient(broker.url, (client) => client.query('CHECKPOINT'))
  const folder = isServerUrl(place) ? join(broker.folder ?? '', 'data', under) : dirname(place)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => holds(path, text))
}

/** A server removes files while it is looked at. */
function holds(path: string, text: string): boolean {
  try {
    return readFileSync(path).includes(text)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
