import type { StoreSchema } from '../../platform/sqlite/store-schema.ts'

/** "RdrQ": says that a database is a Redrive queue and not something else that happens to be SQLite. */
const applicationId = 0x52647251

/**
 * A message is two rows of one id. `contents` is written once and read once; `queue` is small, so that claiming a message
 * rewrites a few bytes and not its body.
 *
 * - `ready_at`: 0 while it can be claimed, else the time from which it can be: the end of a delay or of a lease.
 * - `leased`: its lease is still to end; `leases` says where to look when it does.
 * - `held`: it was handed out and nobody has recorded what became of it. Once it can be claimed again it is a suspect.
 * - `front`: nothing of the same lane stands before it. Without a lane always 1. Only these are in the index of what can be
 *   claimed, so a blocked lane of a million messages costs as much as one of two.
 * - `deliveries`: raised by every claim and therefore also the fence: a settlement that names an older number changes nothing.
 * - `bytes`: the size of the body, so that a claim knows what it would bring into memory before it does.
 * - `lane`: the message's key, where the channel keeps lanes.
 */
const tables = `
  CREATE TABLE channels (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dead_letter_to TEXT,
    ttl INTEGER,
    lanes INTEGER NOT NULL,
    next_id INTEGER NOT NULL,
    retained INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    envelope TEXT NOT NULL,
    body BLOB
  ) STRICT;

  CREATE TABLE queue (
    id INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    sent_at INTEGER NOT NULL,
    ready_at INTEGER NOT NULL,
    leased INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0,
    front INTEGER NOT NULL,
    deliveries INTEGER NOT NULL DEFAULT 0,
    turns INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL,
    lane ANY
  ) STRICT;
  CREATE INDEX claimable ON queue (channel, ready_at) WHERE front = 1 AND leased = 0;
  CREATE INDEX lanes ON queue (channel, lane) WHERE lane IS NOT NULL;
  CREATE INDEX held_lanes ON queue (channel, lane, ready_at) WHERE lane IS NOT NULL AND held = 1;

  CREATE TABLE leases (
    channel INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (channel, ends_at, block)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sent_ids (
    channel INTEGER NOT NULL,
    dedup_id TEXT NOT NULL,
    message INTEGER NOT NULL,
    forget_at INTEGER NOT NULL,
    PRIMARY KEY (channel, dedup_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX forgettable ON sent_ids (forget_at);
`

export const queueSchema: StoreSchema = { what: 'queue', applicationId, versions: [tables] }

/**
 * Ids hold the number of their channel, so that one channel is one range of the primary key: browsing, the oldest message and
 * the order of arrival need no index. That leaves room for 8,191 channels in a file, and for a trillion messages in each.
 * Ids are never given twice.
 */
const idsPerChannel = 2 ** 40
export const maxChannels = 8191

export function firstId(channel: number): number {
  return channel * idsPerChannel + 1
}

export function lastId(channel: number): number {
  return (channel + 1) * idsPerChannel - 1
}

export function channelOf(id: number): number {
  return Math.floor(id / idsPerChannel)
}
