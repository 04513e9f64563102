import type { LetterState } from '../../core/letter-states.ts'
import type { Arrival } from '../arrival.ts'
import type { Content } from '../sealing/contents.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { lettersCompleted } from './broker-copies.ts'
import { showCause } from './causes.ts'
import { findLetters, type LetterQuery } from './find-letters.ts'
import { ingest } from './ingest.ts'
import { changeState } from './letter-changes.ts'
import { contentOf, type Letter } from './letters.ts'
import { listSources, registerSource, type SourceName } from './sources.ts'

/** A letter with everything that another vault needs to keep it as the same one. */
export interface KeptLetter {
  readonly letter: Letter
  readonly identity: Uint8Array
  readonly source: SourceName
  readonly cause: Arrival['cause']
  /** Absent where nobody asked for it, and where it was erased. */
  readonly content?: Content
}

export const exportLetters: Operation<LetterQuery & { readonly bodies: boolean }, readonly KeptLetter[]> = async (
  sql,
  { bodies, ...query },
) => {
  const sources = new Map((await listSources(sql, undefined)).map((source) => [source.id, source]))
  const causes = new Map<number, Arrival['cause']>()
  const kept: KeptLetter[] = []
  for (const letter of await findLetters(sql, query)) {
    const { connection = '', channel = '', part = '', group = '' } = sources.get(letter.source) ?? {}
    const row = await sql.get<{ identity: Uint8Array; own: number }>(ownOf, letter.id)
    if (!row) continue
    // What people said about causes here is theirs: another vault is told what the letter came with.
    const cause = causes.get(row.own) ?? (await causeOf(sql, row.own))
    causes.set(row.own, cause)
    const content = bodies ? await contentOf(sql, letter.id) : undefined
    const source = { connection, channel, part, group }
    kept.push({ letter, identity: row.identity, source, cause, ...(content && { content }) })
  }
  return kept
}

const ownOf = `SELECT letters.identity, coalesce(causes.own, causes.id) AS own
  FROM letters JOIN causes ON causes.id = letters.cause WHERE letters.id = ?`

async function causeOf(sql: Sql, id: number): Promise<Arrival['cause']> {
  const { fingerprint, title, parts } = await showCause(sql, { id })
  return { fingerprint, title, parts }
}

export interface Import {
  readonly source: SourceName
  readonly now: number
  readonly letters: readonly { readonly arrival: Arrival; readonly state: LetterState }[]
}

/** Letters of one source, under the identities that they had. One that is here already, or was purged here, stays as it is. */
export const importLetters: Operation<Import, { readonly letters: number }> = async (sql, { source, now, letters }) => {
  const { id } = await registerSource(sql, source)
  const { letters: kept } = await ingest(sql, { source: id, now, arrivals: letters.map(({ arrival }) => arrival) })
  const tally = createTally()
  const fresh: number[] = []
  for (const [index, { id: letter, duplicate }] of kept.entries()) {
    const given = letters[index]
    if (duplicate || !given) continue
    fresh.push(letter)
    if (given.state !== 'open') await changeState(sql, tally, [letter], { from: 'open', to: given.state, now })
    // What the other vault took from its broker is not on the broker of this one.
    if (given.arrival.broker === 'completing') await lettersCompleted(sql, { letters: [letter] })
  }
  await tally.write(sql)
  return { letters: fresh.length }
}
