import type { Vault } from '../vault/vault.ts'

/** Its id, and 0 where there is none: ids are given in the order in which letters come. */
export async function newestLetter(vault: Vault): Promise<number> {
  const [newest] = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 1 })
  return newest?.id ?? 0
}
