import type { StoreSchema } from '../platform/sqlite/store-schema.ts'
import { alertTables, openAlertsVersion } from './alert-schema.ts'
import { reporterScopesVersion } from './reporter-schema.ts'
import { type SchemaWords, sqliteWords } from './schema-words.ts'
import { searchSchema } from './search-schema.ts'
import { remakeWords } from './sqlite/remake-words.ts'
import { atOnce, type TableVersion } from './table-version.ts'

type Version = (words: SchemaWords) => string

/** "RdrV". */
const applicationId = 0x52647256

/**
 * The tables of the vault. Times are epoch milliseconds. Counts are kept and never computed from a million rows: by source and
 * state in `tallies`, by cause in `causes` and by hour in `cause_hours`, by replay
 * in `replay_counts`.
 *
 * `letters.identity` is what makes a dead letter one letter however often it is found; `tombstones` remember the identities of letters
 * that were purged. `letters.broker` says what became of the broker's copy: `kept` (followed), `completing` (collected, and the
 * broker has not yet accepted that), `matched` (the same, and delivered once more) or `gone`. `contents` stands apart, so that a list of letters reads no bodies.
 */
const firstVersion: Version = (words) => `
  CREATE TABLE sources (
    id ${words.numberedAgain},
    connection TEXT NOT NULL,
    channel TEXT NOT NULL,
    part TEXT NOT NULL,
    position TEXT,
    deliveries INTEGER NOT NULL DEFAULT 0,
    deduplicated INTEGER NOT NULL DEFAULT 0,
    inserted INTEGER NOT NULL DEFAULT 0,
    UNIQUE (connection, channel, part)
  ) STRICT;

  CREATE TABLE causes (
    id ${words.numberedAgain},
    fingerprint TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    parts TEXT NOT NULL,
    state TEXT NOT NULL,
    state_since INTEGER NOT NULL,
    fixed_in TEXT,
    regressed_at INTEGER,
    worse_than INTEGER,
    owner TEXT,
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    last_version TEXT,
    total INTEGER NOT NULL DEFAULT 0,
    unresolved INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX causes_by_recency ON causes (state, last_at, id);

  CREATE TABLE cause_hours (
    cause INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    letters INTEGER NOT NULL,
    PRIMARY KEY (cause, hour)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE letters (
    id ${words.numbered},
    source INTEGER NOT NULL,
    identity BLOB NOT NULL,
    state TEXT NOT NULL,
    state_since INTEGER NOT NULL,
    broker TEXT NOT NULL,
    cause INTEGER NOT NULL,
    channel TEXT NOT NULL,
    origin_group TEXT,
    origin_position TEXT,
    dialect TEXT NOT NULL,
    confidence TEXT NOT NULL,
    reason TEXT,
    error_type TEXT,
    error_message TEXT,
    message_id TEXT,
    type TEXT,
    key TEXT,
    correlation_id TEXT,
    service TEXT,
    version TEXT,
    letter TEXT,
    generation INTEGER NOT NULL,
    replay INTEGER,
    attempts INTEGER,
    failed_at INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    position TEXT,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX letters_by_identity ON letters (source, identity);
  CREATE INDEX letters_by_state ON letters (state, id);
  CREATE INDEX letters_by_age ON letters (state, state_since);
  CREATE INDEX letters_by_cause ON letters (cause, state, id);
  ${words.textIndex('letters_by_correlation', 'letters', 'correlation_id', ' WHERE correlation_id IS NOT NULL')}
  ${words.textIndex('letters_by_key', 'letters', 'key', ' WHERE key IS NOT NULL')}
  ${words.textIndex('letters_by_message', 'letters', 'message_id', ' WHERE message_id IS NOT NULL')}
  ${words.textIndex('letters_by_channel', 'letters', 'channel', '')}
  ${words.textIndex('letters_by_letter', 'letters', 'letter', ' WHERE letter IS NOT NULL')}
  CREATE INDEX letters_completing ON letters (source, substr(identity, 1, 16), id) WHERE broker = 'completing';
  CREATE INDEX letters_matched ON letters (source) WHERE broker = 'matched';

  CREATE TABLE contents (
    letter INTEGER PRIMARY KEY,
    envelope TEXT NOT NULL,
    body BLOB
  ) STRICT;

  ${words.fullText('letter_text', ['failure', 'headers'])}

  CREATE TABLE tallies (
    source INTEGER NOT NULL,
    state TEXT NOT NULL,
    letters INTEGER NOT NULL,
    PRIMARY KEY (source, state)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE tombstones (
    source INTEGER NOT NULL,
    identity BLOB NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (source, identity)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tombstones_by_end ON tombstones (until);

  CREATE TABLE replays (
    id ${words.numbered},
    name TEXT NOT NULL,
    actor TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    state_since INTEGER NOT NULL,
    stopped_because TEXT,
    counts_at_resume TEXT,
    seal TEXT NOT NULL,
    plan TEXT NOT NULL,
    letters INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX replays_by_state ON replays (state, id);

  CREATE TABLE replay_letters (
    replay INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    letter INTEGER NOT NULL,
    state TEXT NOT NULL,
    destination TEXT NOT NULL,
    edit INTEGER,
    at INTEGER NOT NULL,
    sent_at INTEGER,
    problem TEXT,
    PRIMARY KEY (replay, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX replay_letters_by_state ON replay_letters (replay, state, seq);
  CREATE INDEX replay_letters_by_letter ON replay_letters (letter, replay);

  CREATE TABLE replay_counts (
    replay INTEGER NOT NULL,
    state TEXT NOT NULL,
    letters INTEGER NOT NULL,
    PRIMARY KEY (replay, state)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE edits (
    id ${words.numbered},
    letter INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    envelope TEXT NOT NULL,
    body BLOB
  ) STRICT;
  CREATE INDEX edits_by_letter ON edits (letter, id);

  CREATE TABLE notes (
    id ${words.numbered},
    about TEXT NOT NULL,
    subject INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX notes_by_subject ON notes (about, subject, id);

  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    address TEXT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    result TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
`

/**
 * Who may come in, and what they did. Of passwords, links, sessions and tokens only hashes are kept, so that whoever reads the file cannot come
 * in with what it holds. `audit_head` is the last row of the trail once more: a trail that was cut off at its end does not fit it. The triggers
 * keep mistakes of our own from changing the trail; they keep nobody out who can write the file.
 */
const secondVersion: Version = (words) => `
  CREATE TABLE users (
    id ${words.numbered},
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    sources TEXT NOT NULL,
    reveal INTEGER NOT NULL,
    disabled INTEGER NOT NULL DEFAULT 0,
    password TEXT,
    made_at INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
  ) STRICT;

  CREATE TABLE one_time_links (
    hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE sessions (
    hash TEXT PRIMARY KEY,
    user_id INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    address TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_by_user ON sessions (user_id);

  CREATE TABLE tokens (
    id ${words.numbered},
    user_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    last4 TEXT NOT NULL,
    role TEXT NOT NULL,
    sources TEXT NOT NULL,
    reveal INTEGER NOT NULL,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX tokens_by_user ON tokens (user_id, id);

  CREATE TABLE idempotency (
    actor TEXT NOT NULL,
    key TEXT NOT NULL,
    request TEXT NOT NULL,
    at INTEGER NOT NULL,
    status INTEGER,
    body TEXT,
    PRIMARY KEY (actor, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_by_age ON idempotency (at);

  CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  ${words.appendOnly('audit')}
`

/**
 * Consumers that report, as they were last heard of, and what was last ordered about a channel of a service. `run` and `number` tell which of two reports is the newer
 * one; `spooled` is what waits on the disk of the consumer, kept apart because it is asked for when the consumer is not there any more.
 */
const consumersVersion: Version = (words) => `
  CREATE TABLE consumers (
    id ${words.numbered},
    service TEXT NOT NULL,
    instance TEXT NOT NULL,
    run TEXT NOT NULL,
    number INTEGER NOT NULL,
    version TEXT,
    environment TEXT NOT NULL,
    every INTEGER NOT NULL,
    since INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    stopped INTEGER NOT NULL,
    spooled INTEGER NOT NULL,
    forgotten INTEGER NOT NULL,
    channels TEXT NOT NULL,
    UNIQUE (service, instance)
  ) STRICT;
  CREATE INDEX consumers_by_silence ON consumers (spooled, stopped, last_at);

  CREATE TABLE channel_orders (
    service TEXT NOT NULL,
    channel TEXT NOT NULL,
    verb TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    PRIMARY KEY (service, channel)
  ) STRICT, WITHOUT ROWID;
`

/**
 * Replays of a million letters, in steps. `replays.taken` is how many lines of the plan have had their letters taken, from the first one on;
 * letters whose outcome is awaited are found by when they were sent, and no others are looked at.
 */
const stepwiseReplaysVersion: Version = () => `
  ALTER TABLE replays ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
  UPDATE replays SET taken = letters WHERE state <> 'sealed';
  CREATE INDEX replay_letters_awaited ON replay_letters (replay, sent_at) WHERE state = 'sent';
`

/** How long the broker itself keeps a letter of a source, in milliseconds; nothing where it does not drop any, or nobody knows. */
const timeToLossVersion: Version = () => 'ALTER TABLE sources ADD COLUMN keeps_for INTEGER;'

/**
 * Sources that differ in their consumer group alone are two: a table whose key changes is made anew. What an earlier version wrote says nothing
 * about the group, and is taken over by the first source of that name that is read.
 */
const groupedSourcesVersion: Version = (words) => `
  CREATE TABLE grouped_sources (
    id ${words.numberedAgain},
    connection TEXT NOT NULL,
    channel TEXT NOT NULL,
    part TEXT NOT NULL,
    consumer_group TEXT,
    position TEXT,
    deliveries INTEGER NOT NULL DEFAULT 0,
    deduplicated INTEGER NOT NULL DEFAULT 0,
    inserted INTEGER NOT NULL DEFAULT 0,
    keeps_for INTEGER,
    UNIQUE (connection, channel, part, consumer_group)
  ) STRICT;
  INSERT INTO grouped_sources SELECT id, connection, channel, part, NULL, position, deliveries, deduplicated, inserted, keeps_for FROM sources;
  DROP TABLE sources;
  ALTER TABLE grouped_sources RENAME TO sources;
`

/**
 * Outages that are over, until every rule that waits for that has had its turn: kept in the transaction of the report that said so. `scopes` is what
 * whoever said it was given.
 */
const recoveriesVersion: Version = (words) => `
  CREATE TABLE recoveries (
    id ${words.numbered},
    at INTEGER NOT NULL,
    channel TEXT NOT NULL,
    scopes TEXT NOT NULL,
    UNIQUE (channel, scopes)
  ) STRICT;
`

/**
 * Contents that are sealed: then `envelope` is empty, and `sealed_envelope` and `body` are ciphertext of the letter's own key, which stands in
 * `letter_keys` wrapped with a key of the vault, so that a rotation writes no body anew. `vault_keys` are those that letters need, or needed. `rekeying`
 * is how far a rotation came: what is at or below `up_to` in its stage is done.
 */
const sealedContentsVersion: Version = () => `
  ALTER TABLE contents ADD COLUMN sealed_envelope BLOB;
  ALTER TABLE edits ADD COLUMN sealed_envelope BLOB;

  CREATE TABLE letter_keys (
    letter INTEGER PRIMARY KEY,
    vault_key TEXT NOT NULL,
    wrapped BLOB NOT NULL
  ) STRICT;

  CREATE TABLE vault_keys (
    key_id TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    retired_at INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rekeying (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    vault_key TEXT NOT NULL,
    stage TEXT NOT NULL,
    up_to INTEGER NOT NULL,
    scrub INTEGER NOT NULL
  ) STRICT;
`

/** The words of headers apart from those of failures, as whoever opens an older vault writes them anew: see `sqlite/header-words.ts`. */
const headerWordsVersion: Version = (words) => words.emptyWords('letter_text', ['failure', 'headers'])

/**
 * What people say about which causes are one, and which are two. A letter stays with the cause that `letters.cause` names; `causes.shown` is the one that
 * it is shown under, where that is another, so that a merge writes no letter. `own` is the cause of the fingerprint that letters of a split came
 * with. Numbers of a cause are its own letters'; `shown_at` is the newest letter of all that stand under it. `regrouped` counts what was said about it.
 *
 * Of a split, and of one that was undone, letters are moved step by step: those up to `moved_to` are where they belong, and when all are, it is null.
 * `kept` is what was seen meanwhile of letters that stay.
 */
const causeDecisionsVersion: Version = (words) => `
  ALTER TABLE causes ADD COLUMN shown INTEGER;
  ALTER TABLE causes ADD COLUMN own INTEGER;
  ALTER TABLE causes ADD COLUMN shown_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE causes ADD COLUMN regrouped INTEGER NOT NULL DEFAULT 0;
  UPDATE causes SET shown_at = last_at;
  DROP INDEX causes_by_recency;
  CREATE INDEX causes_by_sight ON causes (state, shown_at, id) WHERE shown IS NULL;
  CREATE INDEX causes_shown_under ON causes (shown) WHERE shown IS NOT NULL;
  CREATE INDEX causes_by_own ON causes (own) WHERE own IS NOT NULL;

  CREATE TABLE cause_decisions (
    id ${words.numbered},
    kind TEXT NOT NULL,
    cause INTEGER NOT NULL,
    target INTEGER NOT NULL,
    rule TEXT,
    made_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT NOT NULL,
    undone_at INTEGER,
    undone_by TEXT,
    undone_because TEXT,
    moved_to INTEGER,
    kept TEXT
  ) STRICT;
  CREATE INDEX cause_decisions_by_cause ON cause_decisions (cause, id);
  CREATE INDEX cause_decisions_by_target ON cause_decisions (target, id);
  CREATE INDEX cause_decisions_splitting ON cause_decisions (id) WHERE kind = 'split' AND undone_at IS NULL;
  CREATE INDEX cause_decisions_moving ON cause_decisions (id) WHERE moved_to IS NOT NULL;
`

/** Replays that are to be started at a time, and who said so. */
const scheduledReplaysVersion: Version = () => `
  ALTER TABLE replays ADD COLUMN starts_at INTEGER;
  ALTER TABLE replays ADD COLUMN scheduled_by TEXT;
`

/**
 * People whom an issuer of OpenID Connect knows: who they are is what the issuer calls them, and never a name or an address of theirs. `signed_in_at` is when
 * the issuer last said so: until then nobody knows whether they are still there.
 */
const peopleFromIssuersVersion: Version = () => `
  ALTER TABLE users ADD COLUMN issuer TEXT;
  ALTER TABLE users ADD COLUMN subject TEXT;
  ALTER TABLE users ADD COLUMN signed_in_at INTEGER;
  CREATE UNIQUE INDEX users_by_subject ON users (issuer, subject) WHERE issuer IS NOT NULL;
`

/**
 * What is too old is found by source, state and time, however many letters of others there are. Tables that retention empties are cleaned by the server, and
 * looked at for its plans, before a fifth of them has changed.
 */
const retentionVersion: Version = (words) => `
  CREATE INDEX letters_by_end ON letters (source, state, state_since);
  DROP INDEX letters_by_age;
  CREATE INDEX cause_hours_by_age ON cause_hours (hour);
  ${['letters', 'contents', 'letter_text', 'body_text', 'tombstones', 'replay_letters'].map(words.cleaned).join('\n  ')}
`

/** With the answer to a request that may come again, the tag of what was changed: whoever changes it once more has to send it. */
const taggedAnswersVersion: Version = () => `
  ALTER TABLE idempotency ADD COLUMN etag TEXT;
`

/**
 * When a source was last read, and the code of what reading it has failed with since then. It is empty while somebody tries anew after one who failed, and
 * nothing while it goes well.
 */
const readingNotesVersion: Version = () => `
  ALTER TABLE sources ADD COLUMN read_at INTEGER;
  ALTER TABLE sources ADD COLUMN read_problem TEXT;
`

/** What makes version 1 from nothing, version 2 from version 1, and so on, in the words of a database. */
export function versionsIn(words: SchemaWords): readonly TableVersion[] {
  const versions = [
    ...[firstVersion, secondVersion, consumersVersion, stepwiseReplaysVersion, searchSchema, alertTables, timeToLossVersion],
    ...[groupedSourcesVersion, openAlertsVersion, recoveriesVersion, sealedContentsVersion, headerWordsVersion],
    ...[causeDecisionsVersion, scheduledReplaysVersion, peopleFromIssuersVersion, retentionVersion],
    ...[taggedAnswersVersion, readingNotesVersion, reporterScopesVersion],
  ]
  return versions.map((version) => ({ expansion: words.plain(version(words)) }))
}

export const vaultSchema: StoreSchema = {
  what: 'vault',
  applicationId,
  isPrivate: true,
  // Letters of a kilobyte or two fill pages of 4 KiB badly: a sixth less file, and a sixth less work to fill it.
  pageSize: 8192,
  versions: versionsIn(sqliteWords).map(atOnce),
  remaking: { 12: remakeWords },
}
