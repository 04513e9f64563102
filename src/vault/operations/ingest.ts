import { Buffer } from 'node:buffer'
import type { Arrival } from '../arrival.ts'
import type { Operation, Sql } from '../sql.ts'
import { createTally, type Tally } from '../tally.ts'
import { type CauseBook, createCauseBook } from './meet-causes.ts'
import { letterReturned } from './returns.ts'

export interface Ingest {
  readonly source: number
  readonly now: number
  readonly arrivals: readonly Arrival[]
  /** How far a source that is followed has been read, once these are kept. */
  readonly position?: string
}

export interface Ingested {
  /** One for each arrival. */
  readonly letters: readonly { readonly id: number; readonly duplicate: boolean }[]
  readonly reopenedCauses: readonly number[]
}

interface Batch {
  readonly source: number
  readonly now: number
  readonly causes: CauseBook
  readonly tally: Tally
  /** Whether anything of this source was ever purged: mostly not, and then nobody has to look for each letter. */
  readonly hasTombstones: boolean
}

/**
 * Keeps dead letters, each of them once. The counters of deliveries, of those that were known already and of those that were kept are raised
 * apart from each other and from the letters, so that a mistake in one of them shows.
 */
export const ingest: Operation<Ingest, Ingested> = async (sql, { source, now, arrivals, position }) => {
  const buried = await sql.get<object>('SELECT 1 FROM tombstones WHERE source = ? LIMIT 1', source)
  const batch: Batch = {
    source,
    now,
    causes: createCauseBook(sql, now),
    tally: createTally(),
    hasTombstones: buried !== undefined,
  }
  const letters: { readonly id: number; readonly duplicate: boolean }[] = []
  for (const arrival of arrivals) letters.push(await keep(sql, batch, arrival))
  const reopenedCauses = await batch.causes.write()
  await batch.tally.write(sql)
  const duplicates = letters.filter(({ duplicate }) => duplicate).length
  await sql.run(addToSource, arrivals.length, duplicates, arrivals.length - duplicates, position ?? null, source)
  return { letters, reopenedCauses }
}

async function keep(sql: Sql, batch: Batch, arrival: Arrival): Promise<{ id: number; duplicate: boolean }> {
  const known = await knownLetter(sql, batch, arrival)
  if (known !== undefined) return { id: known, duplicate: true }
  const cause = await batch.causes.idOf(arrival)
  const id = await insertLetter(sql, batch, arrival, cause)
  if (id === undefined) return { id: await idOf(sql, batch.source, identityBytes(arrival)), duplicate: true }
  await sql.run('INSERT INTO contents (letter, envelope, body) VALUES (?, ?, ?)', id, arrival.envelope, arrival.body)
  const { failure, headers } = arrival.text
  await sql.run('INSERT INTO letter_text (rowid, failure, headers) VALUES (?, ?, ?)', id, failure, headers)
  batch.causes.count(arrival)
  batch.tally.moved({ source: batch.source, cause }, undefined, 'open')
  if (arrival.replay !== undefined && arrival.letter !== undefined) {
    await letterReturned(sql, batch.tally, { replay: arrival.replay, letter: arrival.letter, now: batch.now })
  }
  return { id, duplicate: false }
}

/** A letter that was delivered before may be one that is being completed; one that was purged is known by its tombstone. */
async function knownLetter(sql: Sql, { source, hasTombstones }: Batch, { identity }: Arrival): Promise<number | undefined> {
  if (identity.kind === 'alike') return identity.deliveredBefore ? matchCompleting(sql, source, identity.bytes) : undefined
  if (!hasTombstones) return undefined
  const buried = await sql.get<object>('SELECT 1 FROM tombstones WHERE source = ? AND identity = ?', source, identity.bytes)
  return buried ? 0 : undefined
}

async function matchCompleting(sql: Sql, source: number, bytes: Uint8Array): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    "SELECT id FROM letters WHERE source = ? AND broker = 'completing' AND substr(identity, 1, 16) = ? ORDER BY id LIMIT 1",
    source,
    bytes,
  )
  if (row) await sql.run("UPDATE letters SET broker = 'matched' WHERE id = ?", row.id)
  return row?.id
}

function identityBytes({ identity }: Arrival): Uint8Array {
  return identity.kind === 'known' ? identity.bytes : Buffer.concat([identity.bytes, identity.drawn])
}

async function idOf(sql: Sql, source: number, identity: Uint8Array): Promise<number> {
  const row = await sql.get<{ id: number }>('SELECT id FROM letters WHERE source = ? AND identity = ?', source, identity)
  return row?.id ?? 0
}

function insertLetter(sql: Sql, batch: Batch, arrival: Arrival, cause: number): Promise<number | undefined> {
  return sql.insert(
    insert,
    batch.source,
    identityBytes(arrival),
    batch.now,
    arrival.broker,
    cause,
    arrival.channel,
    arrival.group ?? null,
    arrival.originPosition ?? null,
    arrival.dialect,
    arrival.confidence,
    arrival.reason ?? null,
    arrival.errorType ?? null,
    arrival.errorMessage ?? null,
    arrival.messageId ?? null,
    arrival.type ?? null,
    arrival.key ?? null,
    arrival.correlationId ?? null,
    arrival.service ?? null,
    arrival.version ?? null,
    arrival.letter ?? null,
    arrival.generation,
    arrival.replay ?? null,
    arrival.attempts ?? null,
    arrival.failedAt,
    batch.now,
    arrival.position ?? null,
    arrival.body?.byteLength ?? 0,
  )
}

const insert = `
  INSERT INTO letters (source, identity, state, state_since, broker, cause, channel, origin_group, origin_position, dialect, confidence,
    reason, error_type, error_message, message_id, type, key, correlation_id, service, version, letter, generation, replay,
    attempts, failed_at, received_at, position, bytes)
  VALUES (?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (source, identity) DO NOTHING`

const addToSource = `
  UPDATE sources SET deliveries = deliveries + ?, deduplicated = deduplicated + ?, inserted = inserted + ?,
    position = coalesce(?, position)
  WHERE id = ?`
