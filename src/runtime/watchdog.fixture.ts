import { existsSync } from 'node:fs'
import { createConsumer, createProducer, defineMessage } from '../redrive.ts'
import { embedded } from '../transports/embedded/embedded.ts'
import type { WatchdogOptions } from './consumer-options.ts'

/** A consumer whose handler blocks the event loop until a file is there; what happens is told to the parent. */
interface Order {
  readonly queue: string
  readonly until: string
  readonly watchdog: WatchdogOptions
  readonly send: boolean
}

const { queue, until, watchdog, send } = JSON.parse(process.argv[2] ?? '{}') as Order
const Job = defineMessage<{ blocks: boolean }>('job')
const transport = embedded({ file: queue })
const consumer = createConsumer({ transport, service: 'watched', watchdog })
consumer.channel('work', { deadLetter: 'dead', hold: '6s' }).on(Job, ({ blocks }) => {
  while (blocks && !existsSync(until));
})
for (const name of ['completed', 'dead-lettered', 'blocked'] as const) {
  consumer.on(name, (event) => process.send?.({ name, ...event }))
}
await consumer.start()
if (send) {
  const producer = createProducer({ transport })
  await producer.send(Job, { blocks: true }, { channel: 'work', id: 'blocker', correlationId: 'c-1' })
  await producer.send(Job, { blocks: false }, { channel: 'work', id: 'neighbour', correlationId: 'c-2' })
}
process.on(
  'message',
  () =>
    void consumer
      .stop()
      .then(() => transport.close())
      .then(() => process.disconnect()),
)
