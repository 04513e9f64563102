import { isServerUrl } from '../core/vault-place.ts'
import type { VaultKeys } from '../platform/vault-key.ts'
import { shownAddress } from './postgres/vault-address.ts'
import { lockFile } from './sqlite/lock-file.ts'
import { scrubFile } from './sqlite/scrub-file.ts'
import { sqliteVault } from './sqlite/sqlite-vault.ts'
import type { Hold, Joining, Membership } from './turns.ts'
import type { Vault } from './vault.ts'

/** A vault where the configuration says: on a server, by its url, or in a file. */
export interface OpenedVault {
  readonly vault: Vault
  /** Nobody else may run replays on it from now on. It ends with its process, at once or within seconds. */
  lock(onLost: () => void): Promise<Hold>
  /** Where several control planes may have it: as one of them. */
  join?(joining: Joining): Promise<Membership>
  /** Leaves nothing behind of rows that are gone, as far as that is in our hands. */
  scrub(): Promise<void>
}

/** With `keys`, what letters hold is sealed and opened; whoever lacks them is refused where it is read or kept. */
export async function openVault(place: string, keys?: VaultKeys): Promise<OpenedVault> {
  if (isServerUrl(place)) {
    const { postgresVault } = await import('./postgres/postgres-vault.ts')
    const { scrubServer } = await import('./postgres/scrub-server.ts')
    const vault = postgresVault({ url: place, keys })
    return { vault, lock: vault.hold, join: vault.join, scrub: () => scrubServer(place) }
  }
  return {
    vault: sqliteVault({ file: place, keys }),
    lock: async () => ({ isOurs: () => true, release: await lockFile(place) }),
    scrub: () => scrubFile(place),
  }
}

/** As people are told of it: without who comes in, and with what. */
export function shownVault(place: string): string {
  return isServerUrl(place) ? shownAddress(place) : place
}
