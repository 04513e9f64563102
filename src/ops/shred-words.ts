import type { Vault } from '../vault/vault.ts'

/** What somebody shreds is not left in the index of words until chance takes it away. Step by step: everybody else has a turn in between. */
export async function shredWords(vault: Vault): Promise<void> {
  while (!(await vault.write('shredWords', undefined)).done);
}
