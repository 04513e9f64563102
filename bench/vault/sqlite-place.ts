import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { bareInsert } from './sqlite-bare.ts'
import type { VaultPlace } from './vault-place.ts'

export async function sqlitePlace(): Promise<VaultPlace> {
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-vault-bench-'))
  const vault = sqliteVault({ file: join(folder, 'vault.db') })
  const [like, rows] = [bareInsert(join(folder, 'like.db'), 'like'), bareInsert(join(folder, 'rows.db'), 'rows')]
  return {
    ...{ vault, like, rows },
    mebibytes: async () => statSync(join(folder, 'vault.db')).size / 2 ** 20,
    async close() {
      await Promise.all([like.close(), rows.close(), vault.close()])
      rmSync(folder, { recursive: true })
    },
  }
}
