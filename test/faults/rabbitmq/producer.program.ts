import { once } from 'node:events'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import amqp, { type ConfirmChannel } from 'amqplib'
import { appendProduced } from '../harness/producer-log.ts'
import { faultChannels, faultMessage, kindOf } from '../messages.ts'
import type { ProducerOrder } from './order.ts'

/**
 * A producer in a process of its own, with a bare client. A message whose answer never came is not sent again: whether it exists is
 * unknown, and every duplicate that is found later is the consumers'.
 */
const order = JSON.parse(process.argv[2] ?? '{}') as ProducerOrder
let next = 0
let confirmed = 0
const startedAt = performance.now()
/** Sent, and not to be confirmed any more: others take their place. */
let unknown = 0
const mayGoOn = once(process, 'message')
// Whoever started us is gone, however that came about.
process.on('disconnect', () => process.exit())

while (confirmed < order.messages) {
  await sendWhileConnected().catch(() => {})
  if (confirmed < order.messages) await sleep(50)
}
// Whoever ends at once takes along what was told and not heard yet: a busy listener would wait for it for ever.
process.send?.({ confirmed }, () => process.exit(0))

async function sendWhileConnected(): Promise<void> {
  const connection = await amqp.connect(`${order.url}?heartbeat=2`)
  connection.on('error', () => {})
  const closed = once(connection, 'close')
  const channel = await Promise.race([connection.createConfirmChannel(), closed.then(() => Promise.reject(new Error('closed')))])
  channel.on('error', () => {})
  const gone = new AbortController()
  for (const emitter of [connection, channel]) emitter.once('close', () => gone.abort())
  await Promise.race([closed, Promise.all(Array.from({ length: order.window }, () => sendOneByOne(channel, gone.signal)))])
  // Whoever waits for no answer does not wait here either.
  // The library never says that a connection is closed which died while it was closing.
  if (order.confirms === 'each') await Promise.race([closed, connection.close().catch(() => {})])
}

async function sendOneByOne(channel: ConfirmChannel, gone: AbortSignal): Promise<void> {
  while (!gone.aborted && next < order.messages + unknown) {
    const number = next++
    if (number >= (order.holdAt ?? Number.POSITIVE_INFINITY)) await mayGoOn
    if (order.perSecond !== undefined) await sleep(Math.max(0, startedAt + (number / order.perSecond) * 1000 - performance.now()))
    await sendOne(channel, number)
  }
}

async function sendOne(channel: ConfirmChannel, number: number): Promise<void> {
  appendProduced(order.log, { what: 'tried', number })
  const accepted = await publish(channel, number)
  if (!accepted) {
    unknown++
    return
  }
  appendProduced(order.log, { what: 'confirmed', number })
  process.send?.({ confirmed: ++confirmed })
}

function publish(channel: ConfirmChannel, number: number): Promise<boolean> {
  const kind = number === order.crashing ? 'crash' : kindOf(number)
  const { body } = faultMessage(number, kind)
  const padding = kind === 'bad' && order.headerBytes > 0 ? { padding: 'x'.repeat(order.headerBytes) } : {}
  const options = {
    messageId: String(number),
    type: 'fault',
    contentType: 'application/json',
    persistent: true,
    headers: { tenant: 'acme', ...padding },
  }
  return new Promise((resolve) => {
    try {
      channel.sendToQueue(faultChannels.work, Buffer.from(body ?? []), options, (error) => resolve(error === null))
      if (order.confirms === 'none') void turn().then(() => resolve(true))
    } catch {
      resolve(false)
    }
  })
}
