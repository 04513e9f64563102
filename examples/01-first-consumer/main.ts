import { z } from 'zod'
import { createConsumer, createProducer, defineMessage } from '../../src/redrive.ts'
import { embedded } from '../../src/transports/embedded/embedded.ts'

const Order = defineMessage('order.placed', z.object({ id: z.string(), total: z.number().positive() }))
const transport = embedded({ file: 'orders.db' })
const consumer = createConsumer({ transport, service: 'shop', logger: false })
const options = { deadLetter: 'dlq.order.placed', invalid: 'invalid.order.placed' }

consumer.channel('order.placed', options).on(Order, async (order, ctx) => {
  if (order.total > 1000) throw new Error('The warehouse does not answer')
  console.log(`shipped ${order.id} at attempt ${ctx.attempt}`)
})
consumer.on('retried', ({ messageId, delayMs }) => console.log(`${messageId} failed and comes back in ${delayMs} ms`))
consumer.on('dead-lettered', ({ messageId, reason, to }) => console.log(`${messageId} is in ${to}: ${reason}`))
consumer.on('invalid', ({ messageId, reason, to }) => console.log(`${messageId} is in ${to}: ${reason}`))

await consumer.start()
await createProducer({ transport }).send(Order, { id: 'order-1', total: 25 })
// The README shows everything above. Below: a message that keeps failing, one that is no order at all, and the end.

const settled = new Promise<void>((resolve) => {
  const open = new Set(['expensive', 'scrambled'])
  const close = ({ messageId }: { messageId: string | undefined }): void => {
    open.delete(messageId ?? '')
    if (open.size === 0) resolve()
  }
  consumer.on('dead-lettered', close)
  consumer.on('invalid', close)
})
await createProducer({ transport }).send(Order, { id: 'order-2', total: 5000 }, { id: 'expensive' })
await transport.send({ name: 'order.placed' }, { id: 'scrambled', body: new TextEncoder().encode('{"id":'), headers: [] })
await settled

await consumer.stop()
for (const name of ['order.placed', 'dlq.order.placed', 'invalid.order.placed']) {
  console.log(`${name} holds ${(await transport.measure({ name })).retained}`)
}
await transport.close()
