import type { Buffer } from 'node:buffer'
import type { Client } from 'pg'
import { CopiedRows } from './copied-rows.ts'
import { loadPg } from './library.ts'

/**
 * The library knows the messages of a copy, and leaves it to whoever asks what becomes of them: its own question lets them pass. What `each` throws
 * is told when all rows have come, since nobody would catch it before.
 */
export async function copyFrom(client: Pick<Client, 'query'>, sql: string, each: (row: CopiedRows) => void): Promise<void> {
  const { Query } = await loadPg()
  const rows = new CopiedRows()
  let failure: { readonly error: unknown } | undefined
  await new Promise<void>((resolve, reject) => {
    const query = new Query(`COPY (${sql}) TO STDOUT (FORMAT binary)`, (error) => (error ? reject(error) : resolve()))
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
