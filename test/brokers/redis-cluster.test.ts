import type { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Broker } from '../../scripts/brokers/start.ts'
import { redis } from '../../src/transports/redis/redis.ts'
import { until } from '../until.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { withClient } from './redis.ts'
import { redisVersions } from './redis-subjects.ts'

const settings = ['cluster-enabled yes', 'cluster-node-timeout 2000']
const [version = ''] = redisVersions
const work = { name: 'work' }
const grave = { name: 'grave' }
const channels = [
  { address: work, role: 'work' },
  { address: grave, role: 'dead-letter' },
] as const

/** Two nodes that have half of the slots each. */
async function cluster(): Promise<readonly [Broker, Broker]> {
  const [first, second] = await Promise.all([node(), node()])
  const port = Number(new URL(second.url).port)
  const clusterPort = await withClient(second.url, clusterPortOf)
  await withClient(first.url, async (client) => {
    await client.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191)
    await client.call('CLUSTER', 'MEET', '127.0.0.1', port, clusterPort)
  })
  await withClient(second.url, (client) => client.call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16_383))
  for (const { url } of [first, second])
    await until('the cluster stands', () =>
      withClient(url, async (client) => String(await client.call('CLUSTER', 'INFO')).includes('cluster_state:ok')),
    )
  return [first, second]
}

/** Where other nodes reach it. */
async function clusterPortOf(client: Redis): Promise<string> {
  const [, value] = (await client.call('CONFIG', 'GET', 'cluster-port')) as [string, string]
  return value
}

async function node(): Promise<Broker> {
  const broker = await brokerForTests('redis', version, { settings })
  if ('notRun' in broker) throw new Error(broker.notRun)
  onTestFinished(() => broker.stop())
  return broker
}

const known = await brokerForTests('redis', version)
if ('notRun' in known) test(known.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  await known.stop()
  describe('in a cluster', { timeout: 360_000 }, () => {
    test('whichever node is asked, the one that has the keys answers, and a move is one step', async () => {
      for (const { url } of await cluster()) {
        const transport = redis({ url, prefix: `{${new URL(url).port}}:` })
        onTestFinished(() => transport.close())
        await transport.provision({ channels }, 'apply')
        await transport.send(work, { body: new TextEncoder().encode('a'), headers: [] })
        const receiver = await transport.receive(work, { prefetch: 1, hold: 60_000 })
        const [delivery] = await receiver.take(1, 60_000)
        if (!delivery) expect.fail('One was sent.')
        await transport.settle(delivery, { kind: 'move', to: grave, message: delivery.message })
        expect(await transport.measure(grave)).toMatchObject({ retained: 1 })
      }
    })

    test('a prefix without braces is told as the reason why channels cannot exchange messages', async () => {
      const [{ url }] = await cluster()
      const transport = redis({ url, prefix: 'loose:' })
      onTestFinished(() => transport.close())
      await expect(transport.measure(work)).rejects.toMatchObject({ code: 'unknown-channel' })
      const sending = transport.send(work, { body: null, headers: [] })
      await expect(sending).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining('braces') })
    })
  })
}
