import { RedriveError } from '../../core/errors.ts'
import { needsToBeAlone } from '../alone.ts'
import { endBodyIndex } from '../operations/body-index.ts'
import type { Sql } from '../sql.ts'
import type { KeyRing } from './key-ring.ts'

/** Which keys letters of a vault need. One that is retired has no letter any more, and none is sealed with it again. */
export interface KnownKey {
  readonly id: string
  readonly since: number
  readonly retiredAt: number | null
}

export function knownKeys(sql: Sql): Promise<readonly KnownKey[]> {
  return sql.all<KnownKey>('SELECT key_id AS id, since, retired_at AS "retiredAt" FROM vault_keys ORDER BY since, key_id')
}

/** A vault whose letters are sealed is not opened with some of them out of reach. */
export async function refuseUnlessAllGiven(sql: Sql): Promise<void> {
  const needed = (await knownKeys(sql)).filter(({ retiredAt }) => retiredAt === null).map(({ id }) => id)
  const lacking = needed.filter((id) => !sql.ring?.has(id))
  if (lacking.length > 0) throw notGiven(lacking)
}

/**
 * The keys that something may be sealed with now; nothing where this vault seals nothing. A vault that seals takes nothing in clear, and no key of which
 * it was said that nothing needs it any more.
 */
export async function sealingRing(sql: Sql, now: number): Promise<KeyRing | undefined> {
  const { ring } = sql
  if (!ring) {
    await refuseUnlessAllGiven(sql)
    return undefined
  }
  const known = await sql.get<{ retired: number | null }>(
    'SELECT retired_at AS retired FROM vault_keys WHERE key_id = ?',
    ring.current,
  )
  if (!known) await noteKey(sql, ring.current, now)
  else if (known.retired !== null) throw retired(ring.current)
  return ring
}

/** From now on, words of bodies stand nowhere: they would be the body once more, in clear. */
async function noteKey(sql: Sql, id: string, now: number): Promise<void> {
  needsToBeAlone(sql)
  await refuseUnlessAllGiven(sql)
  await sql.run('INSERT INTO vault_keys (key_id, since) VALUES (?, ?)', id, now)
  await endBodyIndex(sql)
}

function notGiven(ids: readonly string[]): RedriveError {
  const [which, are] = ids.length === 1 ? ['the key', 'was'] : ['the keys', 'were']
  return new RedriveError(
    'vault-key-missing',
    `Letters of this vault are sealed with ${which} ${ids.join(', ')}, which ${are} not given: name ${ids.length === 1 ? 'it' : 'them'} under encryption in the configuration, as key or among formerKeys.`,
  )
}

function retired(id: string): RedriveError {
  return new RedriveError(
    'vault-key-retired',
    `The key ${id} was retired when the letters were given another one by \`redrive vault rekey\`. Nothing is sealed with it again: name the newer key, or a new one.`,
  )
}
