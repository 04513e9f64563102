import { type KnownKey, knownKeys, refuseUnlessAllGiven, sealingRing } from '../sealing/known-keys.ts'
import type { Operation } from '../sql.ts'

/** Every key that letters of this vault need or needed, the oldest first. */
export const listVaultKeys: Operation<undefined, readonly KnownKey[]> = (sql) => knownKeys(sql)

/** Before anything is read or kept: all keys that letters need are there, and the one that is to be used may be. */
export const useKeys: Operation<{ readonly now: number }, undefined> = async (sql, { now }) => {
  await refuseUnlessAllGiven(sql)
  await sealingRing(sql, now)
  return undefined
}
