import amqp from 'amqp-connection-manager'
import type { ConsumeMessage } from 'amqplib'
import { faultChannels } from '../../messages.ts'
import { handle, order, ready, retries } from './handle.ts'

/** It has neither retries nor dead letters: those are written by hand, as its README publishes: confirmed and persistent, then ack. */
const connection = amqp.connect([order.url])
connection.on('connectFailed', () => {})
const channel = connection.createChannel({ confirm: true })
channel.on('error', () => {})
await channel.waitForConnect()

async function receive(message: ConsumeMessage): Promise<void> {
  const attempt = Number(message.properties.headers?.['attempt'] ?? 1)
  try {
    handle(JSON.parse(message.content.toString()), attempt)
  } catch (error) {
    const isLast = attempt > retries || error instanceof SyntaxError
    const headers = { ...message.properties.headers, attempt: attempt + 1 }
    const options = { ...message.properties, headers, persistent: true }
    await channel.sendToQueue(isLast ? faultChannels.deadLetter : faultChannels.work, message.content, options)
  }
  channel.ack(message)
}

// What fails stays unacknowledged, and comes again with the next connection.
await channel.consume(faultChannels.work, (message) => void receive(message).catch(() => {}), { prefetch: order.prefetch })
ready()
