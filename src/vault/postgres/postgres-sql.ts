import type { CustomTypesConfig } from 'pg'
import type { Query } from '../../platform/postgres/connections.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import type { Row, Sql, Value, Writer } from '../sql.ts'
import { forRows, type Statement } from './for-rows.ts'
import { numbered } from './placeholders.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { restored, storable } from './storable-text.ts'

/** How an operation has its transaction. */
export interface Having {
  readonly ring?: KeyRing | undefined
  /** Whether others write at the same time. */
  readonly isAlone?: boolean
  /** Asks all of this and commits, for an operation that has the transaction for itself and says what it writes last. */
  readonly commit?: ((last: readonly Parameters<Query>[]) => Promise<void>) | undefined
}

/** The vault's statements in one transaction. */
export function postgresSql(query: Query, { ring, isAlone = true, commit }: Having = {}): Sql {
  const send = ({ text, values, name }: Statement) => query(text, values, name)
  const ask = (text: string, parameters: readonly Value[]) => send(statementOf(text, parameters))
  const askForRows = (text: string, rows: readonly Row[]) => send(statementForRows(text, rows))

  const sql: Sql = {
    dialect: postgresDialect,
    ring,
    isAlone,
    async lastly(work) {
      if (!commit) return work(sql)
      const { writer, statements } = noting()
      const result = await work(writer)
      await commit(statements.map(({ text, values, name }) => [text, values, name]))
      return result
    },
    all: async <Found extends object>(text: string, ...parameters: Row) => (await ask(text, parameters)).rows as Found[],
    get: async <Found extends object>(text: string, ...parameters: Row) =>
      (await ask(text, parameters)).rows[0] as Found | undefined,
    async insertEach(text, rows, { place, column }) {
      const ids = new Map<string, number>()
      for (const some of shares(rows)) {
        const { rows: made } = await askForRows(`${text} RETURNING id, ${column} AS unique_value`, some)
        for (const { id, unique_value: value } of made) ids.set(nameOf(value), id)
      }
      // The first of those that are alike is the one that came in.
      return rows.map((row) => {
        const name = nameOf(row[place])
        const id = ids.get(name)
        ids.delete(name)
        return id
      })
    },
    async runEach(text, rows) {
      for (const some of shares(rows)) await askForRows(text, some)
    },
    run: async (text, ...parameters) => (await ask(text, parameters)).rowCount ?? 0,
  }
  return sql
}

/** Writes nothing yet: whoever sends it all at once knows first what all of it is. */
function noting(): { readonly writer: Writer; readonly statements: readonly Statement[] } {
  const statements: Statement[] = []
  const writer: Writer = {
    dialect: postgresDialect,
    async runEach(text, rows) {
      for (const some of shares(rows)) statements.push(statementForRows(text, some))
    },
    async run(text, ...parameters) {
      statements.push(statementOf(text, parameters))
    },
  }
  return { writer, statements }
}

function statementOf(text: string, parameters: readonly Value[]): Statement {
  return { text: numbered(text), values: parameters.map(storableValue), name: undefined }
}

function statementForRows(text: string, rows: readonly Row[]): Statement {
  return forRows(
    text,
    rows.map((row) => row.map(storableValue)),
  )
}

/** A page of a copy may hold letters of megabytes, and a parameter holds less than a gigabyte. */
const mostRows = 1000
const mostBytes = 64 * 2 ** 20

function* shares(rows: readonly Row[]): Generator<readonly Row[]> {
  let share: Row[] = []
  let bytes = 0
  for (const row of rows) {
    share.push(row)
    bytes += row.reduce<number>((sum, value) => sum + sizeOf(value), 0)
    if (share.length < mostRows && bytes < mostBytes) continue
    yield share
    share = []
    bytes = 0
  }
  if (share.length > 0) yield share
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? value.byteLength : 8
}

function nameOf(value: Value | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
}

function storableValue(value: Value): Value {
  return typeof value === 'string' ? storable(value) : value
}

/** By the server's number for a type: what columns and counts become here. All numbers of the vault are whole and exact. */
const parsers: ReadonlyMap<number, (value: string) => unknown> = new Map<number, (value: string) => unknown>([
  ...[20, 21, 23, 1700].map((type) => [type, Number] as const),
  [16, (value) => value === 't'],
  [25, restored],
  [17, bytes],
])

export const vaultTypes: CustomTypesConfig = {
  getTypeParser: (type: number) => parsers.get(type) ?? ((value: string) => value),
} as CustomTypesConfig

/** `\x` and two digits for each. */
function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.slice(2), 'hex'))
}
