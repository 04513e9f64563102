import type { Buffer } from 'node:buffer'
import type { Client } from 'pg'
import { CopiedRows } from './copied-rows.ts'
import { loadPg } from './library.ts'

/** `$1` and so on stand for the values, as text: each is to be cast. */
export interface CopiedQuestion {
  readonly sql: string
  readonly values: readonly (number | boolean)[]
}

/**
 * A copy has no parameters, and with values in it each would be another statement to whoever keeps statistics of them on the server. So values are settings
 * for the length of the transaction, which begins and ends with this question.
 *
 * The library knows the messages of a copy, and leaves it to whoever asks what becomes of them: its own question lets them pass. What `each` throws
 * is told when all rows have come, since nobody would catch it before.
 */
export async function copyFrom(
  client: Pick<Client, 'query'>,
  { sql, values }: CopiedQuestion,
  each: (row: CopiedRows) => void,
): Promise<void> {
  const { Query } = await loadPg()
  const rows = new CopiedRows()
  let failure: { readonly error: unknown } | undefined
  await new Promise<void>((resolve, reject) => {
    const query = new Query(copyOf(sql, values), (error) => (error ? reject(error) : resolve()))
    const handleCopyData = ({ chunk }: { readonly chunk: Buffer }): void => {
      if (failure) return
      try {
        rows.read(chunk, each)
      } catch (error) {
        failure = { error }
      }
    }
    client.query(Object.assign(query, { handleCopyData }))
  })
  if (failure) throw failure.error
}

function copyOf(sql: string, values: CopiedQuestion['values']): string {
  const settings = values.map((value, index) => `set_config('${settingOf(index + 1)}', '${value}', true)`)
  const question = sql.replace(/\$(\d+)/g, (_, place: string) => `current_setting('${settingOf(Number(place))}')`)
  return `SELECT ${settings.join()}; COPY (${question}) TO STDOUT (FORMAT binary)`
}

function settingOf(place: number): string {
  return `redrive.value_${place}`
}
