import { closeSync, fsyncSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { headerWords } from '../../src/vault/sqlite/header-words.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import { causes, firstFailedAt, letter } from '../vault/letters.ts'

/** After so many letters everything about them comes again but their names, times and bodies. */
const period = causes
/** The letters failed one after another over this time, the last one now. */
const lasting = 7 * 24 * 3_600_000

/**
 * A vault with so many letters. One of each cause is taken in as letters always are; the rest are copies of those, made by the database itself,
 * which is several times as quick.
 */
export async function fillVault(file: string, letters: number): Promise<void> {
  const originals = Array.from({ length: Math.min(period, letters) }, (_, n) => letter(n))
  const vault = sqliteVault({ file })
  const { id: source } = await vault.write('registerSource', { connection: 'shop', channel: 'dlq.orders', part: '', group: '' })
  await vault.write('ingest', { source, now: firstFailedAt, arrivals: originals })
  await vault.close()
  const database = new DatabaseSync(file)
  // A log of a gigabyte would be written first and copied afterwards.
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF',
  )
  database.exec('PRAGMA cache_size = -200000; PRAGMA temp_store = MEMORY')
  database.exec('CREATE TEMP TABLE words (n INTEGER PRIMARY KEY, failure TEXT, headers TEXT)')
  const word = database.prepare('INSERT INTO words VALUES (?, ?, ?)')
  for (const [n, { text }] of originals.entries()) word.run(n, text.failure, headerWords(text.headers))
  const indexes = indexesOf(database)
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  const at = `${Date.now() - lasting} + id * ${lasting} / ${letters}`
  database.exec(`UPDATE letters SET failed_at = ${at}, received_at = ${at}, state_since = ${at}`)
  database.exec(copies(letters))
  database.exec(counts(letters))
  for (const { sql } of indexes) database.exec(sql)
  database.exec('PRAGMA locking_mode = NORMAL; PRAGMA journal_mode = WAL')
  database.close()
  onDisk(file)
}

/** What the system still had to write would be felt in the browser. */
function onDisk(file: string): void {
  const handle = openSync(file, 'r+')
  fsyncSync(handle)
  closeSync(handle)
}

/** Those of letters that a statement made: they are made anew in the end, which is quicker than keeping them all the time. */
function indexesOf(database: DatabaseSync): readonly { readonly name: string; readonly sql: string }[] {
  const found = database.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'letters' AND sql NOT NULL",
  )
  return found.all() as { name: string; sql: string }[]
}

/** The nth letter is a copy of the one `n % period` places behind the first; ids begin at 1. */
function copies(letters: number): string {
  const later = `+ (n - ns.like) * ${lasting} / ${letters}`
  return `
    CREATE TEMP TABLE ns AS WITH RECURSIVE ns (n) AS (SELECT ${period} UNION ALL SELECT n + 1 FROM ns WHERE n + 1 < ${letters})
      SELECT n, n % ${period} AS like FROM ns WHERE n < ${letters};
    INSERT INTO letters (id, identity, message_id, key, correlation_id, letter, failed_at, received_at, state_since, ${copied})
      SELECT n + 1, unhex(printf('%064x', n)), 'message-' || n, 'customer-' || (n % 50000), 'correlation-' || n, 'letter-' || n,
        failed_at ${later}, received_at ${later}, state_since ${later}, ${copied}
      FROM ns JOIN letters ON id = ns.like + 1;
    INSERT INTO contents (letter, envelope, body)
      SELECT n + 1, ${renamed('envelope')}, CAST(replace(CAST(body AS TEXT), '"order":' || ns.like, '"order":' || n) AS BLOB)
      FROM ns JOIN contents ON letter = ns.like + 1;
    INSERT INTO letter_text (rowid, failure, headers)
      SELECT ns.n + 1, failure, ${renamed('headers')} FROM ns JOIN words ON words.n = ns.like;`
}

/** What all letters of a cause have in common. */
const copied = `source, state, broker, cause, channel, dialect, confidence, reason, error_type, error_message, type, service, version,
  generation, attempts, bytes`

/** What is said of the original by its names, said of the copy. */
function renamed(text: string): string {
  const names = ['message-', 'letter-', 'correlation-']
  return names.reduce((said, name) => `replace(${said}, '${name}' || ns.like, '${name}' || ns.n)`, text)
}

/** What the vault keeps beside the letters and never counts anew; whether it holds is checked by the vault itself. */
function counts(letters: number): string {
  return `
    UPDATE sources SET deliveries = ${letters}, inserted = ${letters};
    UPDATE tallies SET letters = ${letters};
    DELETE FROM cause_hours;
    INSERT INTO cause_hours SELECT cause, failed_at / 3600000, count(*) FROM letters GROUP BY 1, 2;
    UPDATE causes SET (total, unresolved, first_at, last_at) =
      (SELECT count(*), count(*), min(failed_at), max(failed_at) FROM letters WHERE cause = causes.id);
    DELETE FROM letter_blocks;
    INSERT INTO letter_blocks SELECT id >> 10, source, min(failed_at), max(failed_at) FROM letters GROUP BY 1, 2;`
}
