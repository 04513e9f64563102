import { RedriveError } from '../../core/errors.ts'
import type { VaultKeys } from '../../platform/vault-key.ts'
import type { Vault } from '../vault.ts'
import { createThreadLink, type ThreadLink } from './thread-link.ts'

export interface SqliteVaultOptions {
  readonly file: string
  /** How long a transaction waits for another process. Milliseconds. */
  readonly busyTimeout?: number
  /** What contents are sealed with. */
  readonly keys?: VaultKeys | undefined
}

/** A vault in one file, with a thread that writes and a thread that reads. The file is made where there is none. */
export function sqliteVault({ file, busyTimeout = 10_000, keys }: SqliteVaultOptions): Vault {
  const writer = createThreadLink({ role: 'writer', file, busyTimeout, keys })
  const reader = createThreadLink({ role: 'reader', file, busyTimeout, keys })
  let closing: Promise<void> | undefined

  const ask = (link: ThreadLink, name: string, input: unknown): Promise<unknown> =>
    closing ? Promise.reject(new RedriveError('closed', 'The vault is closed.')) : link.call({ name, input })

  return {
    write: ((name: string, input: unknown) => ask(writer, name, input)) as Vault['write'],
    read: ((name: string, input: unknown) => ask(reader, name, input)) as Vault['read'],
    close() {
      closing ??= reader.close().then(() => writer.close())
      return closing
    },
  }
}
