import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, produceV9 } from '@platformatic/kafka'
import { appendProduced } from '../harness/producer-log.ts'
import { faultMessage, kindOf, laneOf } from '../messages.ts'
import type { ProducerOrder } from './order.ts'

/**
 * A producer in a process of its own, with bare requests. A message whose answer never came is not sent again: whether it exists is
 * unknown, and every duplicate that is found later is the consumers'.
 */
const order = JSON.parse(process.argv[2] ?? '{}') as ProducerOrder
const [host = '', port = ''] = order.url.split(':')
const allReplicas = -1
/** What each partition is still to get. */
const queues: number[][] = Array.from({ length: order.partitions }, () => [])
let next = 0
let confirmed = 0
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
  const connection = new Connection('producer', { requestTimeout: 5000, maxInflights: order.window })
  connection.on('error', () => {})
  await connection.connect(host, Number(port))
  // One sender for each lane: messages of one key are sent one after the other, or their order would mean nothing.
  await Promise.all(Array.from({ length: order.partitions }, (_, partition) => sendOneByOne(connection, partition)))
  await connection.close()
}

async function sendOneByOne(connection: Connection, partition: number): Promise<void> {
  while (connection.isConnected()) {
    const batch = await nextOf(partition)
    if (batch.length === 0) return
    await sendBatch(connection, partition, batch)
  }
}

/** Numbers in their order, each for the partition of its key. */
async function nextOf(partition: number): Promise<readonly number[]> {
  while ((queues[partition]?.length ?? 0) < order.window && next < order.messages + unknown) {
    if (next >= (order.holdAt ?? Number.POSITIVE_INFINITY)) {
      if ((queues[partition]?.length ?? 0) > 0) break
      await mayGoOn
    }
    const number = next++
    queues[partitionOf(number)]?.push(number)
  }
  return queues[partition]?.splice(0, order.window) ?? []
}

function partitionOf(number: number): number {
  return (laneOf(number) ?? number) % order.partitions
}

async function sendBatch(connection: Connection, partition: number, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) appendProduced(order.log, { what: 'tried', number })
  const records = numbers.map((number) => recordOf(number, partition))
  const accepted = await produceV9.api.async(connection, allReplicas, 5000, records, {}).then(
    () => true,
    () => false,
  )
  if (!accepted) {
    unknown += numbers.length
    return
  }
  for (const number of numbers) appendProduced(order.log, { what: 'confirmed', number })
  confirmed += numbers.length
  process.send?.({ confirmed })
}

function recordOf(number: number, partition: number) {
  const kind = number === order.crashing ? 'crash' : kindOf(number)
  const { body, key = `f${number}` } = faultMessage(number, kind)
  const headers = new Map([
    [Buffer.from('message_id'), Buffer.from(String(number))],
    [Buffer.from('event_type'), Buffer.from('fault')],
    [Buffer.from('tenant'), Buffer.from('acme')],
  ])
  return { topic: order.topic, partition, key: Buffer.from(key), value: Buffer.from(body ?? []), headers }
}
