import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Message } from '../../src/core/message.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { type Person, type Workplace, workplace } from '../cli/run-redrive.ts'
import { keep, sourceIn } from './letters.fixture.ts'

/** A folder with a vault in it that holds letters, where the commands find it by themselves. */
export interface DeskInTest extends Workplace {
  readonly file: string
  /** In the order in which they were given. */
  readonly ids: readonly number[]
}

export interface DeskOptions {
  readonly letters: readonly Message[]
  readonly source?: string
  readonly connection?: string
  readonly person?: Person
  readonly environment?: Readonly<Record<string, string>>
}

export async function deskWith({ letters, source, connection, person, environment }: DeskOptions): Promise<DeskInTest> {
  const own = { REDRIVE_VAULT: 'vault.db', USER: 'ana', ...environment }
  const here = workplace(own, person)
  onTestFinished(() => here.remove())
  const file = join(here.folder, 'vault.db')
  const vault = sqliteVault({ file })
  const ids = await keep(vault, await sourceIn(vault, source, connection), letters).finally(() => vault.close())
  return { ...here, file, ids }
}

/** What a command wrote with `--json`. */
export async function json<T>(here: Workplace, ...args: readonly string[]): Promise<T> {
  return JSON.parse((await here.redrive(...args, '--json')).out) as T
}
