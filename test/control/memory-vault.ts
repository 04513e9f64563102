import { DatabaseSync } from 'node:sqlite'
import { RedriveError } from '../../src/core/errors.ts'
import { reads, writes } from '../../src/vault/operations/operations.ts'
import { vaultSchema } from '../../src/vault/schema.ts'
import type { KeyRing } from '../../src/vault/sealing/key-ring.ts'
import type { Operation, Sql } from '../../src/vault/sql.ts'
import { commitTogether } from '../../src/vault/sqlite/group-commit.ts'
import { sqliteSql } from '../../src/vault/sqlite/sqlite-sql.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { serverVault } from './vaults-under-test.ts'

type Operations = Readonly<Record<string, Operation<never, unknown>>>

export interface MemoryVault extends Vault {
  /** Something that is only ever a part of an operation. */
  perform<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}

/**
 * The vault's own operations on a database in memory, without threads and disks: for tests that make hundreds of them. Where the tests of a file
 * are to hold on a server, it is there instead.
 */
export function memoryVault(db?: DatabaseSync, ring?: KeyRing): MemoryVault {
  return (db ? undefined : serverVault()) ?? inMemory(db ?? new DatabaseSync(':memory:'), ring)
}

function inMemory(db: DatabaseSync, ring?: KeyRing): MemoryVault {
  db.exec(vaultSchema.versions.join(';'))
  const sql = sqliteSql(db, ring)
  let last: Promise<unknown> = Promise.resolve()

  /** One after another, as in the thread: an operation awaits its statements. */
  function inTurn(operations: Operations, name: string, input: unknown): Promise<unknown> {
    const work = (on: Sql) => operations[name]?.(on, input as never) ?? Promise.reject(new Error(`No operation ${name}.`))
    const turn = last.then(() => commitTogether(db, sql, [work], 'memory'))
    last = turn.catch(() => {})
    return turn.then(([result]) => {
      if (result && 'value' in result) return result.value
      throw new RedriveError(result?.error.code ?? 'store-failed', result?.error.message ?? 'No answer.')
    })
  }

  return {
    write: ((name: string, input: unknown) => inTurn({ ...writes }, name, input)) as Vault['write'],
    read: ((name: string, input: unknown) => inTurn({ ...reads }, name, input)) as Vault['read'],
    async perform(work) {
      await last
      return work(sql)
    },
    async close() {
      await last
      db.close()
    },
  }
}
