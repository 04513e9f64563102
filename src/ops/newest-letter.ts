import type { Vault } from '../vault/vault.ts'

/** The number of the newest letter before which none can come any more, and 0 where there is none. */
export async function newestLetter(vault: Vault): Promise<number> {
  return (await vault.read('settledLetters', undefined)).upTo
}
