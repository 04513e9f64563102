import type { SchemaWords } from './schema-words.ts'

/**
 * Alerts, what is said about them, and what is still to be sent. `at` is the alert engine's own time, which never goes back; what ends in `_at`
 * is epoch milliseconds, for people. `record` is JSON of src/core/alerts; the columns beside it are what lists are made of.
 *
 * A row of `deliveries` is the promise to tell one sink one thing. It is written in the transaction in which the alert changed, and stays
 * `waiting` until the sink has taken it (`sent`), a later one of its group has gone instead (`collapsed`), or everybody gave up (`dead`).
 */
export const alertTables = (words: SchemaWords): string => `
  CREATE TABLE alerts (
    fingerprint TEXT PRIMARY KEY,
    rule TEXT NOT NULL,
    severity TEXT NOT NULL,
    source TEXT NOT NULL,
    queue TEXT,
    phase TEXT NOT NULL,
    episode INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alerts_by_phase ON alerts (phase, changed_at);

  CREATE TABLE alert_groups (
    key TEXT PRIMARY KEY,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE alert_engine (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL,
    saved_at INTEGER NOT NULL,
    last_letter INTEGER NOT NULL,
    record TEXT NOT NULL
  ) STRICT;

  CREATE TABLE alert_marks (
    fingerprint TEXT PRIMARY KEY,
    episode INTEGER NOT NULL,
    acknowledged_by TEXT,
    acknowledged_until INTEGER,
    snoozed_by TEXT,
    snoozed_until INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE silences (
    id ${words.numbered},
    matchers TEXT NOT NULL,
    author TEXT NOT NULL,
    reason TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    starts INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    even_protected INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX silences_by_end ON silences (ends);

  CREATE TABLE alert_samples (
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    taken_at INTEGER NOT NULL,
    sample TEXT NOT NULL,
    PRIMARY KEY (subject, at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alert_samples_by_age ON alert_samples (at);

  CREATE TABLE deliveries (
    id ${words.numbered},
    sink TEXT NOT NULL,
    group_key TEXT NOT NULL,
    name TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    notification TEXT NOT NULL,
    state TEXT NOT NULL,
    state_since INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL,
    failing_since INTEGER,
    problem TEXT,
    UNIQUE (sink, name)
  ) STRICT;
  CREATE INDEX deliveries_waiting ON deliveries (sink, id) WHERE state = 'waiting';
  CREATE INDEX deliveries_by_state ON deliveries (state, id);
`

/** Whether an alert is not over, as people are to believe it: one that comes and goes is not, whatever its phase is at the moment. */
export const openAlertsVersion = (words: SchemaWords): string => `
  ALTER TABLE alerts ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;
  UPDATE alerts SET is_open = 1 WHERE phase <> 'ok' OR ${words.isTrueIn('record', 'flaps', 'isFlapping')};
  DROP INDEX alerts_by_phase;
  CREATE INDEX alerts_by_openness ON alerts (is_open, changed_at);
`
