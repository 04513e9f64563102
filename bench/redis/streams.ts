import { Redis } from 'ioredis'
import { redis } from '../../src/transports/redis/redis.ts'
import { channels, type Task } from '../library.ts'
import { orderMessage } from '../payload.ts'

export function openClient(url: string): Redis {
  const client = new Redis(url, { protocol: 2, replyMapping: 'legacy', maxRetriesPerRequest: null })
  client.on('error', () => {})
  return client
}

/** The streams that Redrive makes and fills, which the bare client reads as well. */
export async function fillStreams({ url, prefix, messages }: Task): Promise<void> {
  const transport = redis({ url, prefix })
  const { work, deadLetters } = channels
  const wanted = [
    { address: { name: work }, role: 'work' },
    { address: { name: deadLetters }, role: 'dead-letter' },
  ] as const
  await transport.provision({ channels: wanted }, 'apply')
  for (let sent = 0; sent < messages; sent += 2000) {
    const some = Array.from({ length: Math.min(2000, messages - sent) }, (_, index) => sent + index)
    await Promise.all(some.map((order) => transport.send({ name: work }, orderMessage(order))))
  }
  await transport.close()
}

export async function lettersIn({ url, prefix }: Task): Promise<number> {
  const client = openClient(url)
  try {
    const left = await client.xlen(prefix + channels.work)
    if (left > 0) throw new Error(`${left} messages are left.`)
    return await client.xlen(prefix + channels.deadLetters)
  } finally {
    client.disconnect()
  }
}
