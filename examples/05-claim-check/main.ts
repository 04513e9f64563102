import { folderStore } from '../../src/claim-check/folder-store.ts'
import { createConsumer, createProducer, defineMessage } from '../../src/redrive.ts'
import { memory } from '../../src/transports/memory/memory.ts'

interface Scan {
  readonly document: string
  readonly pages: readonly string[]
}

const transport = memory()
const store = folderStore({ folder: process.cwd() })
const producer = createProducer({ transport, claimCheck: { store, over: '256KiB' } })
const consumer = createConsumer({ transport, service: 'archive', logger: false, claimCheck: { store } })
const ScanTaken = defineMessage<Scan>('scan.taken')

consumer.channel('scan.taken', { deadLetter: 'dlq.scan.taken' }).on(ScanTaken, ({ document, pages }, { message }) => {
  console.log(`${document} has ${pages.length} pages; ${message.body?.byteLength} bytes of it came with the message`)
})
// The page shows everything above. Below: a document that is large, and the end.

const completed = new Promise<void>((resolve) => consumer.on('completed', () => resolve()))
await consumer.start()
await producer.send(ScanTaken, { document: 'contract', pages: Array.from({ length: 20 }, () => '#'.repeat(20_000)) })
await completed
await consumer.stop()
console.log(`${await store.removeOlderThan('30d')} old bodies were removed`)
await transport.close()
