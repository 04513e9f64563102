import { RedriveError } from '../../core/errors.ts'
import { createThread, workerBeside } from '../../platform/sqlite/thread.ts'
import { finish, notSent, type Pending, type Result } from '../../platform/sqlite/wire.ts'
import type { Query, QueryAnswers, WorkerSettings } from './protocol.ts'

/** The reader as the transport sees it. Queries are answered in the order in which they were asked. */
export interface ReaderLink {
  ask<Kind extends Query['kind']>(query: Extract<Query, { readonly kind: Kind }>): Promise<QueryAnswers[Kind]>
  close(): Promise<void>
}

export function createReaderLink(settings: WorkerSettings): ReaderLink {
  let waiting: Pending<unknown>[] = []
  const thread = createThread<Query[], Result[]>(workerBeside(import.meta.url, 'worker'), settings, {
    reply(results) {
      for (const result of results) {
        const asked = waiting.shift()
        if (asked) finish(asked, result)
      }
      thread.hold(waiting.length > 0)
    },
    died(cause) {
      const error = new RedriveError('store-failed', 'The thread that reads the database ended before it answered.', { cause })
      for (const asked of waiting) asked.reject(error)
      waiting = []
    },
  })

  return {
    ask: (query) =>
      new Promise((resolve, reject) => {
        try {
          thread.post([query])
        } catch (cause) {
          return reject(notSent(cause))
        }
        waiting.push({ resolve: resolve as (value: unknown) => void, reject })
        thread.hold(true)
      }),
    close: thread.close,
  }
}
