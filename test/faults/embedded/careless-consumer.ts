import { appendFileSync } from 'node:fs'
import { embedded } from '../../../src/transports/embedded/embedded.ts'

/** The planted bug: it completes before it handles. The ledger must find what this loses. */
const [, , file = '', log = ''] = process.argv
const { REDRIVE_BARRIER: barrier } = process.env
const transport = embedded({ file })
const receiver = await transport.receive({ name: 'work' }, { prefetch: 200, hold: 500 })
process.send?.('ready')

for (;;) {
  const batch = await receiver.take(200, 1000)
  await Promise.all(batch.map((delivery) => transport.settle(delivery, { kind: 'complete' })))
  if (batch.length > 0 && barrier !== undefined) {
    process.send?.(barrier)
    await new Promise(() => {})
  }
  for (const { message } of batch) appendFileSync(log, `${message.id}\n`)
}
