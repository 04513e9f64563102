import { isServerUrl } from '../core/vault-place.ts'
import { shownAddress } from './postgres/vault-address.ts'
import { lockFile } from './sqlite/lock-file.ts'
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
}

export async function openVault(place: string): Promise<OpenedVault> {
  if (isServerUrl(place)) {
    const { postgresVault } = await import('./postgres/postgres-vault.ts')
    const vault = postgresVault({ url: place })
    return { vault, lock: vault.hold, join: vault.join }
  }
  return { vault: sqliteVault({ file: place }), lock: async () => ({ isOurs: () => true, release: await lockFile(place) }) }
}

/** As people are told of it: without who comes in, and with what. */
export function shownVault(place: string): string {
  return isServerUrl(place) ? shownAddress(place) : place
}
