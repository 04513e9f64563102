import { parentPort, workerData } from 'node:worker_threads'
import type { Result } from '../../platform/sqlite/wire.ts'
import { reads, writes } from '../operations/operations.ts'
import { createConnection } from './connection.ts'
import { type Call, packedResult, type ThreadSettings } from './protocol.ts'

/** One thread, one connection: the writer or the reader. SQLite blocks the thread that calls it, so it is never the server's. */
const settings = workerData as ThreadSettings
const port = parentPort
if (port === null) throw new Error('This file is the entry point of a worker thread.')

const noAnswer: Result = { error: { code: 'unsure', message: 'The database gave no answer.' } }

const connection = createConnection(settings, settings.role === 'writer' ? { ...writes } : { ...reads })
let last: Promise<void> = Promise.resolve()

/** One after another: an operation awaits its statements, and none may come between them. */
port.on('message', (request: readonly Call[] | 'close') => {
  last = last.then(() => serve(request))
})

async function serve(request: readonly Call[] | 'close'): Promise<void> {
  if (request === 'close') {
    connection.close()
    port?.close()
  } else {
    const results = await connection.answer(request)
    port?.postMessage(request.map((call, index) => packedResult(call, results[index] ?? noAnswer)))
  }
}
