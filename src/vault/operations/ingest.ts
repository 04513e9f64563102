import { Buffer } from 'node:buffer'
import { needsToBeAlone } from '../alone.ts'
import type { Arrival } from '../arrival.ts'
import { type BlockBook, createBlockBook } from '../letter-blocks.ts'
import { keepWords } from '../letter-words.ts'
import { keepContents, type LetterContent } from '../sealing/contents.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import { sealingRing } from '../sealing/known-keys.ts'
import { sideBySide } from '../side-by-side.ts'
import { listOf, type Operation, type Row, type Sql, type Writer } from '../sql.ts'
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
  readonly blocks: BlockBook
  readonly tally: Tally
  /** Identities among those that came whose letters were purged. */
  readonly buried: ReadonlySet<string>
  /** What letters are sealed with, where they are. */
  readonly ring: KeyRing | undefined
  /** Of the letters that were inserted, still to be written. */
  readonly contents: Content[]
}

type Content = LetterContent & Pick<Arrival, 'text'>

/**
 * Keeps dead letters, each of them once. The counters of deliveries, of those that were known already and of those that were kept are raised
 * apart from each other and from the letters, so that a mistake in one of them shows.
 *
 * Everybody else who writes waits meanwhile, and each answer that is waited for may be a round trip to a server: what is known is read at once, the
 * letters are inserted, and all that follows from their numbers is written at once.
 */
export const ingest: Operation<Ingest, Ingested> = async (sql, { source, now, arrivals, position }) => {
  if (arrivals.some(isReturn)) needsToBeAlone(sql)
  const [, causes, buried, ring] = await sideBySide(
    besideOthers(sql, source),
    createCauseBook(sql, { source, arrivals, now }),
    buriedOf(sql, source, arrivals),
    sealingRing(sql, now),
  )
  const batch: Batch = {
    ...{ source, now, causes, buried, ring },
    blocks: createBlockBook(source),
    tally: createTally(),
    contents: [],
  }
  const letters = await keepAll(sql, batch, arrivals)
  const duplicates = letters.filter(({ duplicate }) => duplicate).length
  const reopenedCauses = await sql.lastly(async (last) => {
    const [, , , , reopened] = await sideBySide(
      writeContents(last, batch),
      batch.blocks.write(last),
      batch.tally.write(last),
      last.run(addToSource, arrivals.length, duplicates, arrivals.length - duplicates, position ?? null, source),
      // What others count in as well comes last, so that they wait for no more than the commit.
      batch.causes.write(last),
    )
    return reopened
  })
  return { letters, reopenedCauses }
}

/**
 * Of one source, one batch at a time: whoever had it before may be at it still, and its letters are there in the order of their numbers. From which number on
 * they are is said before the first is drawn.
 */
async function besideOthers(sql: Sql, source: number): Promise<void> {
  const { isAlone, dialect } = sql
  if (isAlone || dialect.announceNumbers === undefined) return
  await sideBySide(
    sql.get<object>('SELECT FROM sources WHERE id = ? FOR NO KEY UPDATE', source),
    sql.get<object>(dialect.announceNumbers),
  )
}

interface Kept {
  readonly id: number
  readonly duplicate: boolean
}

interface Fresh {
  readonly place: number
  readonly arrival: Arrival
  readonly cause: number
}

/**
 * Letters that nobody knows are inserted together, because each statement may be a round trip to a server. One that may be known by what it holds is
 * looked for among those before it too, so that these are inserted first.
 */
async function keepAll(sql: Sql, batch: Batch, arrivals: readonly Arrival[]): Promise<readonly Kept[]> {
  const kept: Kept[] = []
  let fresh: Fresh[] = []
  async function insertFresh(): Promise<void> {
    const inserting = fresh
    fresh = []
    for (const [place, letter] of await insertAll(sql, batch, inserting)) kept[place] = letter
  }
  for (const [place, arrival] of arrivals.entries()) {
    if (mayBeAmong(arrival)) await insertFresh()
    const known = await knownLetter(sql, batch, arrival)
    if (known !== undefined) kept[place] = await duplicate(sql, batch, arrival, known)
    else fresh.push({ place, arrival, cause: await batch.causes.idOf(arrival) })
  }
  await insertFresh()
  return kept
}

async function insertAll(sql: Sql, batch: Batch, fresh: readonly Fresh[]): Promise<readonly (readonly [number, Kept])[]> {
  const rows = fresh.map(({ arrival, cause }) => letterRow(batch, arrival, cause))
  const ids = rows.length === 0 ? [] : await sql.insertEach(insert, rows, { place: 1, column: 'identity' })
  const kept: (readonly [number, Kept])[] = []
  for (const [index, each] of fresh.entries()) kept.push([each.place, await account(sql, batch, each, ids[index])])
  return kept
}

async function writeContents(sql: Writer, { ring, contents }: Batch): Promise<void> {
  // Headers that are sealed are not written beside it as words.
  const words = contents.map(({ letter, text }) => ({ letter, failure: text.failure, headers: ring ? '' : text.headers }))
  await sideBySide(keepContents(sql, ring, contents), keepWords(sql, words))
}

/** Counts a letter that was inserted; one that was not is here already. */
async function account(sql: Sql, batch: Batch, { arrival, cause }: Fresh, id: number | undefined): Promise<Kept> {
  if (id === undefined) return duplicate(sql, batch, arrival, await idOf(sql, batch.source, identityBytes(arrival)))
  const relieved = await predecessorsCause(sql, batch, arrival)
  await batch.causes.count(arrival, cause, relieved)
  batch.blocks.count(id, arrival.failedAt)
  batch.tally.came(batch.source, 'open')
  batch.contents.push({ letter: id, envelope: arrival.envelope, body: arrival.body, text: arrival.text })
  return { id, duplicate: false }
}

/** A letter that was sent twice, because somebody chose so, and died twice is one letter; but it came back from both replays. */
async function duplicate(sql: Sql, batch: Batch, arrival: Arrival, id: number): Promise<Kept> {
  await predecessorsCause(sql, batch, arrival)
  return { id, duplicate: true }
}

/** It changes the ledger of its replay, and a letter of perhaps another source. */
function isReturn({ replay, letter }: Arrival): boolean {
  return replay !== undefined && letter !== undefined
}

/** Of the letter that this one is the return of, where that one was unresolved until now. */
async function predecessorsCause(
  sql: Sql,
  { tally, now }: Batch,
  { replay, letter, group }: Arrival,
): Promise<number | undefined> {
  return replay === undefined || letter === undefined ? undefined : letterReturned(sql, tally, { replay, letter, group, now })
}

/** A letter that was delivered before may be one that is being completed; one that was purged is known by its tombstone. */
async function knownLetter(sql: Sql, { source, buried }: Batch, { identity }: Arrival): Promise<number | undefined> {
  if (identity.kind === 'alike') return identity.deliveredBefore ? matchCompleting(sql, source, identity.bytes) : undefined
  return buried.size > 0 && buried.has(nameOf(identity.bytes)) ? 0 : undefined
}

const lookedUpAtOnce = 512

/** Mostly nothing of a source was ever purged, and then nobody looks for each letter. */
async function buriedOf(sql: Sql, source: number, arrivals: readonly Arrival[]): Promise<ReadonlySet<string>> {
  const buried = new Set<string>()
  if (!(await sql.get<object>('SELECT 1 FROM tombstones WHERE source = ? LIMIT 1', source))) return buried
  const identities = arrivals.flatMap(({ identity }) => (identity.kind === 'known' ? [identity.bytes] : []))
  for (let start = 0; start < identities.length; start += lookedUpAtOnce) {
    const { places, values } = listOf(identities.slice(start, start + lookedUpAtOnce))
    const found = await sql.all<{ identity: Uint8Array }>(
      `SELECT identity FROM tombstones WHERE source = ? AND identity IN ${places}`,
      source,
      ...values,
    )
    for (const { identity } of found) buried.add(nameOf(identity))
  }
  return buried
}

function nameOf(identity: Uint8Array): string {
  return Buffer.from(identity).toString('hex')
}

function mayBeAmong({ identity }: Arrival): boolean {
  return identity.kind === 'alike' && identity.deliveredBefore
}

async function matchCompleting(sql: Sql, source: number, bytes: Uint8Array): Promise<number | undefined> {
  const row = await sql.get<{ id: number }>(
    `SELECT id FROM letters WHERE source = ? AND broker = 'completing' AND length(identity) > 16 AND substr(identity, 1, 16) = ?
     ORDER BY id LIMIT 1`,
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

function letterRow(batch: Batch, arrival: Arrival, cause: number): Row {
  return [
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
  ]
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
