import { parentPort, workerData } from 'node:worker_threads'
import type { Result } from '../../platform/sqlite/wire.ts'
import type { PackedClaim, Query, WorkerSettings, WriteReply } from './protocol.ts'
import { createReader } from './reader.ts'
import { createWriter } from './writer.ts'

/** One thread, one connection: the writer or the reader. SQLite blocks the thread that calls it, so it is never the user's. */
const settings = workerData as WorkerSettings
const port = parentPort
if (port === null) throw new Error('This file is the entry point of a worker thread.')

if (settings.role === 'writer') {
  const writer = createWriter(settings)
  serve(writer.execute, writer.close, ({ claims }: WriteReply) => claims.flatMap(memoryOf))
} else {
  const reader = createReader(settings)
  serve(
    (queries: Query[]) => queries.map(reader.answer),
    reader.close,
    () => [],
  )
}

/** `given`: memory that is handed over instead of copied. */
function serve<Request, Reply>(
  answer: (request: Request) => Reply,
  close: () => void,
  given: (reply: Reply) => ArrayBuffer[],
): void {
  port?.on('message', (request: Request | 'close') => {
    if (request === 'close') {
      close()
      port.close()
    } else {
      const reply = answer(request)
      port.postMessage(reply, given(reply))
    }
  })
}

function memoryOf(claimed: Result<PackedClaim>): ArrayBuffer[] {
  return 'value' in claimed ? [claimed.value.contents.bodies.buffer] : []
}
