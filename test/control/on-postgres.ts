import { describe } from 'vitest'
import { onBrokers } from '../brokers/on-brokers.ts'
import { makeVaultsOn } from './vaults-under-test.ts'

/** Nobody loses power in these tests, and a thousand commits need not reach a disk. Other tests show what a crash leaves. */
const quick = ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off']

/** Declares the tests of other files once more, with their vaults on a private server. */
export async function onPostgres(files: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  await onBrokers(
    'postgres',
    ['15'],
    (broker) => {
      makeVaultsOn(broker.url)
      for (const [name, declare] of Object.entries(files)) {
        describe(`${name}, on PostgreSQL`, async () => {
          await declare()
        })
      }
    },
    { settings: quick },
  )
}
