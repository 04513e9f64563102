import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** A prepared statement of `node:sqlite` whose parameters and rows have types. */
export interface Statement<Parameters extends SQLInputValue[], Row = never> {
  run(...parameters: Parameters): { readonly changes: number | bigint }
  get(...parameters: Parameters): Row | undefined
  all(...parameters: Parameters): Row[]
}

export type Lane = string | Uint8Array | null

export interface ChannelRow {
  readonly id: number
  readonly name: string
  readonly dead_letter_to: string | null
  readonly ttl: number | null
  readonly lanes: number
}

export interface QueueRow {
  readonly id: number
  readonly sent_at: number
  readonly ready_at: number
  readonly held: number
  readonly deliveries: number
  readonly turns: number
  readonly bytes: number
  readonly lane: Lane
}

/** Columns joined by commas, the bodies by nothing; null where there is nothing to join. */
export interface JoinedContents {
  readonly ids: string | null
  readonly envelopes: string | null
  /** -1 for a null body. */
  readonly lengths: string | null
  readonly bodies: Uint8Array<ArrayBuffer> | null
}

const channelRow = 'id, name, dead_letter_to, ttl, lanes'
const queueRow = 'id, sent_at, ready_at, held, deliveries, turns, bytes, lane'

/**
 * Joined inside SQLite: a row and a buffer for each message would cost three times as much. Text is joined byte by byte, whatever
 * the bytes are. All columns are joined in the same order, and `ids` says in which.
 */
const joinedContents = `
  SELECT group_concat(contents.id) AS ids, group_concat(envelope) AS envelopes,
    group_concat(ifnull(length(body), -1)) AS lengths, CAST(group_concat(body, '') AS BLOB) AS bodies
  FROM json_each(?) AS wanted CROSS JOIN contents ON contents.id = wanted.value`

export interface ChannelStatements {
  channelNamed: Statement<[name: string], ChannelRow>
  channelNumbered: Statement<[id: number], ChannelRow>
}

export interface WriterStatements extends ChannelStatements {
  channelsThatExpire: Statement<[], ChannelRow>
  highestChannel: Statement<[], { readonly id: number | null }>
  addChannel: Statement<
    [id: number, name: string, deadLetterTo: string | null, ttl: number | null, lanes: number, nextId: number]
  >
  nextId: Statement<[channel: number], { readonly next_id: number }>
  count: Statement<[nextId: number, more: number, channel: number]>

  ready: Statement<[channel: number, after: number, limit: number], QueueRow>
  due: Statement<[channel: number, readyAt: number, after: number, now: number, limit: number], QueueRow>
  nextReadyAt: Statement<[channel: number, now: number], { readonly ready_at: number | null }>
  followers: Statement<[channel: number, lane: Lane, after: number, limit: number], QueueRow>
  laneHeldUntil: Statement<[channel: number, lane: Lane], { readonly ready_at: number | null }>
  envelope: Statement<[id: number], { readonly envelope: string }>
  contents: Statement<[ids: string], JoinedContents>
  lease: Statement<[until: number, ids: string]>
  leaseSuspect: Statement<[until: number, turns: number, id: number]>
  fenceBehind: Statement<[channel: number, lane: Lane, after: number]>
  recordLease: Statement<[channel: number, endsAt: number, block: number]>
  endedLeases: Statement<[channel: number, now: number], { readonly block: number }>
  endLeases: Statement<[first: number, last: number, now: number]>
  forgetLeases: Statement<[channel: number, now: number]>
  nextLeaseEnd: Statement<[channel: number], { readonly ends_at: number | null }>

  heldRow: Statement<[id: number, fence: number], QueueRow>
  dropHeld: Statement<[ids: string, fence: number], Pick<QueueRow, 'id' | 'lane'>>
  countHeldRange: Statement<[first: number, last: number, fence: number], { readonly held: number }>
  giveBack: Statement<[readyAt: number, stillSuspect: number, turns: number, deliveries: number, id: number, fence: number]>
  extend: Statement<[until: number, id: number, fence: number]>
  rewrite: Statement<[envelope: string, id: number]>

  row: Statement<[id: number], QueueRow>
  dropRow: Statement<[id: number]>
  dropRange: Statement<[first: number, last: number]>
  dropContents: Statement<[first: number, last: number]>
  promote: Statement<[channel: number, lane: Lane]>
  addContent: Statement<[id: number, envelope: string, body: Uint8Array | null]>
  copyContent: Statement<[id: number, envelope: string, from: number]>
  addRow: Statement<[id: number, channel: number, sentAt: number, readyAt: number, front: number, bytes: number, lane: Lane]>
  laneExists: Statement<[channel: number, lane: Lane], { readonly id: number }>

  sentId: Statement<[channel: number, dedupId: string, now: number], { readonly message: number }>
  rememberId: Statement<[channel: number, dedupId: string, message: number, forgetAt: number]>
  forgetIds: Statement<[now: number, limit: number]>
  oldestFree: Statement<[first: number, last: number, now: number, limit: number], QueueRow>
}

export function prepareWriter(db: DatabaseSync): WriterStatements {
  const prepare = (sql: string) => db.prepare(sql) as never
  return {
    ...prepareChannels(db),
    channelsThatExpire: prepare(`SELECT ${channelRow} FROM channels WHERE ttl IS NOT NULL AND dead_letter_to IS NOT NULL`),
    highestChannel: prepare('SELECT max(id) AS id FROM channels'),
    addChannel: prepare('INSERT INTO channels (id, name, dead_letter_to, ttl, lanes, next_id) VALUES (?, ?, ?, ?, ?, ?)'),
    nextId: prepare('SELECT next_id FROM channels WHERE id = ?'),
    count: prepare('UPDATE channels SET next_id = max(next_id, ?), retained = retained + ? WHERE id = ?'),

    ready: prepare(
      `SELECT ${queueRow} FROM queue WHERE channel = ? AND front = 1 AND leased = 0 AND ready_at = 0 AND id > ? ORDER BY id LIMIT ?`,
    ),
    due: prepare(
      `SELECT ${queueRow} FROM queue WHERE channel = ? AND front = 1 AND leased = 0
       AND (ready_at, id) > (?, ?) AND ready_at <= ? ORDER BY ready_at, id LIMIT ?`,
    ),
    nextReadyAt: prepare(
      'SELECT min(ready_at) AS ready_at FROM queue WHERE channel = ? AND front = 1 AND leased = 0 AND ready_at > ?',
    ),
    followers: prepare(`SELECT ${queueRow} FROM queue WHERE channel = ? AND lane = ? AND id > ? ORDER BY id LIMIT ?`),
    laneHeldUntil: prepare('SELECT max(ready_at) AS ready_at FROM queue WHERE channel = ? AND lane = ? AND held = 1'),
    envelope: prepare('SELECT envelope FROM contents WHERE id = ?'),
    contents: prepare(joinedContents),
    lease: prepare(
      `UPDATE queue SET ready_at = ?, leased = 1, held = 1, deliveries = deliveries + 1
       WHERE id IN (SELECT value FROM json_each(?))`,
    ),
    leaseSuspect: prepare(
      'UPDATE queue SET ready_at = ?, leased = 1, deliveries = deliveries + 1, turns = turns + ? WHERE id = ?',
    ),

    fenceBehind: prepare(
      'UPDATE queue SET deliveries = deliveries + 1 WHERE channel = ? AND lane = ? AND lane IS NOT NULL AND held = 1 AND id > ?',
    ),
    recordLease: prepare('INSERT OR IGNORE INTO leases (channel, ends_at, block) VALUES (?, ?, ?)'),
    endedLeases: prepare('SELECT DISTINCT block FROM leases WHERE channel = ? AND ends_at <= ?'),
    endLeases: prepare('UPDATE queue SET leased = 0 WHERE id BETWEEN ? AND ? AND leased = 1 AND ready_at <= ?'),
    forgetLeases: prepare('DELETE FROM leases WHERE channel = ? AND ends_at <= ?'),
    nextLeaseEnd: prepare('SELECT min(ends_at) AS ends_at FROM leases WHERE channel = ?'),

    heldRow: prepare(`SELECT ${queueRow} FROM queue WHERE id = ? AND deliveries = ? AND held = 1`),
    countHeldRange: prepare('SELECT count(*) AS held FROM queue WHERE id BETWEEN ? AND ? AND deliveries = ? AND held = 1'),
    dropHeld: prepare(
      'DELETE FROM queue WHERE id IN (SELECT value FROM json_each(?)) AND deliveries = ? AND held = 1 RETURNING id, lane',
    ),
    giveBack: prepare(
      'UPDATE queue SET ready_at = ?, leased = 0, held = ?, turns = turns + ?, deliveries = deliveries + ? WHERE id = ? AND deliveries = ? AND held = 1',
    ),
    extend: prepare('UPDATE queue SET ready_at = ?, leased = 1 WHERE id = ? AND deliveries = ? AND held = 1'),
    rewrite: prepare('UPDATE contents SET envelope = ? WHERE id = ?'),

    row: prepare(`SELECT ${queueRow} FROM queue WHERE id = ?`),
    dropRow: prepare('DELETE FROM queue WHERE id = ?'),
    dropRange: prepare('DELETE FROM queue WHERE id BETWEEN ? AND ?'),
    dropContents: prepare('DELETE FROM contents WHERE id BETWEEN ? AND ?'),
    promote: prepare(
      `UPDATE queue SET front = 1
       WHERE front = 0 AND id = (SELECT id FROM queue WHERE channel = ? AND lane = ? ORDER BY id LIMIT 1)`,
    ),
    addContent: prepare('INSERT INTO contents (id, envelope, body) VALUES (?, ?, ?)'),
    copyContent: prepare('INSERT INTO contents (id, envelope, body) SELECT ?, ?, body FROM contents WHERE id = ?'),
    addRow: prepare('INSERT INTO queue (id, channel, sent_at, ready_at, front, bytes, lane) VALUES (?, ?, ?, ?, ?, ?, ?)'),
    laneExists: prepare('SELECT id FROM queue WHERE channel = ? AND lane = ? LIMIT 1'),

    sentId: prepare('SELECT message FROM sent_ids WHERE channel = ? AND dedup_id = ? AND forget_at > ?'),
    rememberId: prepare('INSERT OR REPLACE INTO sent_ids (channel, dedup_id, message, forget_at) VALUES (?, ?, ?, ?)'),
    forgetIds: prepare(
      `DELETE FROM sent_ids WHERE (channel, dedup_id) IN
       (SELECT channel, dedup_id FROM sent_ids WHERE forget_at <= ? ORDER BY forget_at LIMIT ?)`,
    ),
    oldestFree: prepare(
      `SELECT ${queueRow} FROM queue WHERE id BETWEEN ? AND ? AND NOT (held = 1 AND ready_at > ?) ORDER BY id LIMIT ?`,
    ),
  }
}

export type PageRow = Pick<QueueRow, 'id' | 'sent_at' | 'deliveries' | 'bytes'>

export interface ReaderStatements extends ChannelStatements {
  retained: Statement<[channel: number], { readonly retained: number }>
  oldest: Statement<[first: number, last: number], { readonly sent_at: number }>
  page: Statement<[after: number, last: number, limit: number], PageRow>
  contents: Statement<[ids: string], JoinedContents>
}

export function prepareReader(db: DatabaseSync): ReaderStatements {
  const prepare = (sql: string) => db.prepare(sql) as never
  return {
    ...prepareChannels(db),
    retained: prepare('SELECT retained FROM channels WHERE id = ?'),
    oldest: prepare('SELECT sent_at FROM queue WHERE id BETWEEN ? AND ? ORDER BY id LIMIT 1'),
    page: prepare('SELECT id, sent_at, deliveries, bytes FROM queue WHERE id > ? AND id <= ? ORDER BY id LIMIT ?'),
    contents: prepare(joinedContents),
  }
}

function prepareChannels(db: DatabaseSync): ChannelStatements {
  return {
    channelNamed: db.prepare(`SELECT ${channelRow} FROM channels WHERE name = ?`) as never,
    channelNumbered: db.prepare(`SELECT ${channelRow} FROM channels WHERE id = ?`) as never,
  }
}
