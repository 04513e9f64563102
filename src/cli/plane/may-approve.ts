import { rightsOf } from '../../server/rights.ts'
import type { Vault } from '../../vault/vault.ts'

/** As of now: somebody may have been disabled, or given another role, since they said so. */
export async function mayApprove(vault: Vault, actor: string): Promise<boolean> {
  const user = (await vault.read('listUsers', undefined)).find(({ name }) => name === actor)
  return user !== undefined && !user.disabled && rightsOf(user.role, user.reveal).has('replays:approve')
}
