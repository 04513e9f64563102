import type { DatabaseSync } from 'node:sqlite'
import { spoilsConnection, storeError } from '../../platform/sqlite/store-errors.ts'
import { openStore } from '../../platform/sqlite/store-file.ts'
import type { Result } from '../../platform/sqlite/wire.ts'
import { type ChannelBook, createChannelBook } from './channels.ts'
import { contentsOf, withinBytes } from './contents.ts'
import type { BrowsedPage, Query, QueryAnswers, WorkerSettings } from './protocol.ts'
import { compare } from './provision.ts'
import { firstId, lastId, queueSchema } from './schema.ts'
import { prepareReader, type ReaderStatements } from './statements.ts'

/** Bodies that one page brings into memory at most, unless a single one is larger. */
const pageBytes = 32 * 1024 * 1024

export interface Reader {
  answer(query: Query): Result
  close(): void
}

interface Connection {
  readonly db: DatabaseSync
  readonly statements: ReaderStatements
  readonly channels: ChannelBook
}

/** Looks at the file on a connection of its own: however long a scan takes, no writer waits for it. */
export function createReader(settings: WorkerSettings): Reader {
  let connection: Connection | undefined

  function connect(): Connection {
    connection ??= openConnection(settings)
    return connection
  }

  function close(): void {
    connection?.db.close()
    connection = undefined
  }

  return {
    answer(query) {
      try {
        return { value: lookOnce(connect(), query) }
      } catch (error) {
        if (spoilsConnection(error)) close()
        return { error: storeError(error, settings.file) }
      }
    },
    close,
  }
}

function openConnection(settings: WorkerSettings): Connection {
  const db = openStore({ file: settings.file, schema: queueSchema, readOnly: true, busyTimeout: settings.busyTimeout })
  const statements = prepareReader(db)
  return { db, statements, channels: createChannelBook(statements) }
}

/** One snapshot for all statements of a query, so that what a page lists is also there to be read. */
function lookOnce(connection: Connection, query: Query): QueryAnswers[Query['kind']] {
  connection.db.exec('BEGIN')
  try {
    return look(connection, query)
  } finally {
    if (connection.db.isTransaction) connection.db.exec('ROLLBACK')
  }
}

function look({ statements, channels }: Connection, query: Query): QueryAnswers[Query['kind']] {
  if (query.kind === 'check') return compare(query.wanted, channels)
  const { id } = channels.named(query.channel)
  if (query.kind === 'browse') return browse(statements, id, Math.max(query.after, firstId(id) - 1), query.limit)
  return {
    retained: statements.retained.get(id)?.retained ?? 0,
    oldestAt: statements.oldest.get(firstId(id), lastId(id))?.sent_at ?? null,
  }
}

function browse(statements: ReaderStatements, channel: number, after: number, limit: number): BrowsedPage {
  const found = statements.page.all(after, lastId(channel), limit + 1)
  const rows = withinBytes(found.slice(0, limit), pageBytes)
  return {
    ids: rows.map((row) => row.id),
    deliveries: rows.map((row) => row.deliveries),
    sentAt: rows.map((row) => row.sent_at),
    contents: contentsOf(statements, rows),
    more: found.length > rows.length,
  }
}
