import { RedriveError } from '../../core/errors.ts'
import type { Sql } from '../sql.ts'

/** Whether letters of this vault are sealed, or are to be from now on. */
async function isSealedVault(sql: Sql): Promise<boolean> {
  return (await sql.get<object>('SELECT 1 FROM vault_keys WHERE retired_at IS NULL LIMIT 1')) !== undefined
}

/** What is sealed is not looked through, and a search that passes it over would say that there is nothing. */
export async function refuseSearchWhereSealed(sql: Sql): Promise<void> {
  await refuse(sql, 'Look for the letter by its ids, its failure or its channel')
}

/** Words of a body beside the sealed body are the body once more. */
export async function refuseWordsWhereSealed(sql: Sql): Promise<void> {
  await refuse(sql, 'Their words would stand there in clear: take away searchBodies')
}

async function refuse(sql: Sql, instead: string): Promise<void> {
  if (!(await isSealedVault(sql))) return
  throw new RedriveError('unsupported', `Bodies and headers are sealed in this vault, and cannot be searched. ${instead}.`)
}
