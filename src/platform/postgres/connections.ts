import { Socket } from 'node:net'
import type { ConnectionOptions as TlsOptions } from 'node:tls'
import type { Client, ClientConfig, CustomTypesConfig, Pool, PoolClient, QueryResult } from 'pg'
import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { CopiedRows } from './copied-rows.ts'
import { type CopiedQuestion, copyFrom } from './copy-out.ts'
import { loadPg } from './library.ts'
import type { ServerErrors } from './server-errors.ts'
import { isEnding, stateOf } from './sql-state.ts'

export interface ConnectionSettings {
  readonly url: string
  readonly tls: TlsOptions | undefined
  /** How many there are at most. */
  readonly connections: number
  /** How long a call waits for a connection, and for an answer. Milliseconds. */
  readonly connectWithin: number
  readonly answerWithin: number
  readonly clock: Clock
  /** What values of the server become here; without it, what the library makes of them. */
  readonly types?: CustomTypesConfig
  /** Whether a question is sent before the one ahead of it is answered; otherwise it waits here. */
  readonly pipeline?: boolean
}

/** The server as whoever uses it sees it: every question is one transaction on any free connection. */
export interface Connections {
  /** Rejects with `unreachable` when it was certainly not asked, with `unsure` when it did not answer. */
  ask<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>
  /** The same where rows are large or many: each is read as the server keeps it. */
  copy(question: CopiedQuestion, each: (row: CopiedRows) => void): Promise<void>
  /**
   * Several questions in one transaction, which begins as `begin` says: what stands behind its first semicolon is sent along with the first question, and
   * where that fails all of the transaction does. Only where the commit was not answered it is `unsure`.
   */
  within<Result>(work: Within<Result>, begin?: string): Promise<Result>
  /** A connection of its own, for whoever listens. */
  dedicated(): Promise<Client>
  /** Ends that one, and everything else with it when the server does not answer: it is the first to go when all are closed. */
  dismiss(client: Client): Promise<void>
  close(): Promise<void>
}

/**
 * `commit` sends the commit behind what was asked by then, before that is answered; nothing may be asked after it, and where something before it failed
 * the server rolls back instead. Without it, the commit is sent when the work is done.
 */
export type Within<Result> = (ask: Connections['ask'], query: Query, commit: () => void) => Promise<Result>

/** `name`: the server prepares it once on each connection, and nobody gives the name to another text. */
export type Query = (sql: string, values?: readonly unknown[], name?: string) => Promise<Pick<QueryResult, 'rows' | 'rowCount'>>

/** Questions on one connection, which are answered in the order in which whoever has it asks. */
export function queryOn(client: Pick<Client, 'query'>): Query {
  return (text, values, name) =>
    values ? client.query({ text, values: [...values], ...(name !== undefined && { name }) }) : client.query(text)
}

export function createConnections(settings: ConnectionSettings, errors: ServerErrors): Connections {
  const { clock, answerWithin } = settings
  const sockets = new Set<Socket>()
  let opening: Promise<Pool> | undefined

  function stream(): Socket {
    const socket = new Socket()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    return socket
  }

  /** The library waits for the server to hang up, which one that says nothing never does. */
  async function orHangUp(ending: Promise<unknown>): Promise<void> {
    const cancel = clock.after(answerWithin, () => {
      for (const socket of sockets) socket.destroy()
    })
    await ending.catch(() => {})
    cancel()
  }

  async function open(): Promise<Pool> {
    const { Pool } = await loadPg()
    const pool = new Pool({ ...clientConfig(settings), stream, max: settings.connections, allowExitOnIdle: true })
    // A connection that dies while nobody uses it is replaced when somebody does.
    pool.on('error', () => {})
    return pool
  }

  function pool(): Promise<Pool> {
    opening ??= open().catch((error) => {
      opening = undefined
      throw error
    })
    return opening
  }

  /** `work` says so itself when it leaves the connection in a state that nobody knows. */
  async function withClient<Result>(work: (client: PoolClient, spoil: () => void) => Promise<Result>): Promise<Result> {
    const from = await pool()
    const client = await from.connect().catch((error) => {
      throw errors.connecting(error)
    })
    // Between two questions nobody else listens for the end of a connection that is in use.
    const ignore = (): void => {}
    client.on('error', ignore)
    let isSpoilt = false
    try {
      return await work(client, () => {
        isSpoilt = true
      })
    } catch (error) {
      // After an answer of the server the connection is as good as before; after silence nobody knows what it still carries.
      isSpoilt ||= !(error instanceof RedriveError) && isEnding(stateOf(error))
      throw error
    } finally {
      client.removeListener('error', ignore)
      client.release(isSpoilt)
    }
  }

  return {
    ask: <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      withClient(async (client) => (await client.query<Row>(sql, [...values])).rows).catch((error) => {
        throw errors.committing(error)
      }),

    copy: (question, each) =>
      withClient((client) => copyFrom(client, question, each)).catch((error) => {
        throw errors.committing(error)
      }),

    async within(work, begin = 'BEGIN') {
      let ending: Ending | undefined
      try {
        return await withClient(async (client, spoil) => {
          const commit = (): void => {
            ending ??= commitOn(client)
          }
          const query: Query = (...question) => (ending ? Promise.reject(tooLate()) : queryOn(client)(...question))
          try {
            const result = await begun(query, begin, () =>
              work(async (sql, values = []) => (await query(sql, values)).rows, query, commit),
            )
            commit()
            if ((await ending?.command) !== 'COMMIT') throw rolledBack()
            return result
          } catch (error) {
            await client.query('ROLLBACK').catch(spoil)
            throw error
          }
        })
      } catch (error) {
        // The commit was behind whatever failed: where the server says that it rolled back, nothing is unsure.
        const isUnsure = ending !== undefined && (await ending.command.catch(() => undefined)) !== 'ROLLBACK'
        throw isUnsure ? errors.committing(error) : errors.working(error)
      }
    },

    async dedicated() {
      const { Client } = await loadPg()
      const client = new Client({ ...clientConfig({ ...settings, pipeline: false }), stream })
      client.on('error', () => {})
      await client.connect().catch((error) => {
        throw errors.connecting(error)
      })
      return client
    },

    dismiss: (client) => orHangUp(client.end()),

    async close() {
      if (opening) await orHangUp((await opening).end())
    },
  }
}

/** A commit that is on its way. A transaction in which something failed is rolled back by it, and that is no error to the server. */
interface Ending {
  readonly command: Promise<string>
}

function commitOn(client: Pick<Client, 'query'>): Ending {
  const command = client.query('COMMIT').then((answer) => answer.command)
  // Whoever waits for it hears of it; until then nobody does.
  command.catch(() => {})
  return { command }
}

const rolledBack = (): RedriveError => new RedriveError('refused', 'PostgreSQL rolled the transaction back; nothing was done.')

const tooLate = (): RedriveError =>
  new RedriveError('unsure', 'Something was asked after the commit was sent, which may have been done.')

/**
 * `BEGIN` alone is waited for: once there is a transaction, whatever fails in it fails all that is sent behind it, and nothing can be done outside of it.
 * So a lock is asked for only when there is something to do under it, and nothing has to come back here before that is done.
 */
async function begun<Result>(query: Query, begin: string, work: () => Promise<Result>): Promise<Result> {
  const [opening, entering] = inTwo(begin)
  await query(opening)
  const [entered, done] = await Promise.allSettled([entering === '' ? undefined : query(entering), work()])
  if (entered.status === 'rejected') throw entered.reason
  if (done.status === 'rejected') throw done.reason
  return done.value
}

function inTwo(begin: string): readonly [string, string] {
  const end = begin.indexOf(';')
  return end < 0 ? [begin, ''] : [begin.slice(0, end), begin.slice(end + 1)]
}

function clientConfig({ url, tls, connectWithin, answerWithin, types, pipeline = false }: ConnectionSettings): ClientConfig {
  return {
    connectionString: url,
    ...(tls && { ssl: tls }),
    ...(types && { types }),
    application_name: 'redrive',
    keepAlive: true,
    pipeline,
    connectionTimeoutMillis: connectWithin,
    // The server gives up first: then it is certain that nothing was done.
    statement_timeout: Math.ceil(answerWithin * 0.8),
    query_timeout: answerWithin,
  }
}
