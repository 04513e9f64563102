import type { CustomTypesConfig } from 'pg'
import type { Query } from '../../platform/postgres/connections.ts'
import type { KeyRing } from '../sealing/key-ring.ts'
import type { Row, Sql, Value } from '../sql.ts'
import { numbered } from './placeholders.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { restored, storable } from './storable-text.ts'

/** The vault's statements in one transaction. */
export function postgresSql(query: Query, ring?: KeyRing): Sql {
  const ask = (text: string, parameters: readonly Value[]) => query(numbered(text), parameters.map(storableValue))

  return {
    dialect: postgresDialect,
    ring,
    all: async <Found extends object>(text: string, ...parameters: Row) => (await ask(text, parameters)).rows as Found[],
    get: async <Found extends object>(text: string, ...parameters: Row) =>
      (await ask(text, parameters)).rows[0] as Found | undefined,
    async insertEach(text, rows, { place, column }) {
      const ids = new Map<string, number>()
      for (const some of shares(rows)) {
        const { rows: made } = await ask(`${forRows(text, some.length)} RETURNING id, ${column} AS unique_value`, some.flat())
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
      for (const some of shares(rows)) await ask(forRows(text, some.length), some.flat())
    },
    run: async (text, ...parameters) => (await ask(text, parameters)).rowCount ?? 0,
  }
}

/** A statement that inserts one row, for several: each more would cost a round trip. */
function forRows(text: string, count: number): string {
  return text.replace(/\bVALUES (\([^)]*\))/, (_, row: string) => `VALUES ${Array.from({ length: count }, () => row).join(', ')}`)
}

/** The server counts parameters with 16 bits. */
const mostParameters = 60_000

function* shares(rows: readonly Row[]): Generator<readonly Row[]> {
  const most = Math.floor(mostParameters / Math.max(1, rows[0]?.length ?? 1))
  for (let start = 0; start < rows.length; start += most) yield rows.slice(start, start + most)
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
