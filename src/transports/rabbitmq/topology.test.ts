import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Broker } from '../../../scripts/brokers/start.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { createVhost, type Vhost } from '../../../test/brokers/rabbitmq.ts'
import { rabbitmqVersions } from '../../../test/brokers/rabbitmq-subjects.ts'
import type { Transport } from '../seam.ts'
import type { Finding, Topology } from '../topology.ts'
import { rabbitmq } from './rabbitmq.ts'

/** A work queue with delayed retries and its dead-letter queue. */
const wanted: Topology = {
  channels: [
    { address: { name: 'dead' }, role: 'dead-letter' },
    { address: { name: 'work' }, role: 'work', deadLetterTo: { name: 'dead' }, maxTurns: 3, maxRetryDelay: 1000 },
  ],
}
const quorum = { 'x-queue-type': 'quorum', 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }
const limit = { 'x-delivery-limit': 100 }

await onBrokers('rabbitmq', rabbitmqVersions, (broker, version) => {
  describe(`RabbitMQ ${version}: check`, { timeout: 240_000 }, () => checking(broker))
  describe(`RabbitMQ ${version}: apply`, { timeout: 240_000 }, () => applying(broker))
})

interface Scene {
  readonly vhost: Vhost
  readonly transport: Transport
  check(): Promise<string[]>
}

async function setUp(broker: Broker): Promise<Scene> {
  const vhost = await createVhost(broker)
  const transport = rabbitmq({ url: vhost.url, management: vhost.management })
  return { vhost, transport, check: async () => words(await transport.provision(wanted, 'check')) }
}

function words(findings: readonly Finding[]): string[] {
  return findings.map(({ severity, what, address }) => `${severity} ${what} ${address.name}`)
}

/** The work queue as somebody else declared it, with a dead-letter exchange of a name. */
async function declareByHand({ vhost }: Scene, exchange: string, routingKey: string): Promise<void> {
  const deadLetters = { 'x-dead-letter-exchange': exchange, 'x-dead-letter-routing-key': routingKey }
  const options = { durable: true, arguments: { ...quorum, ...limit, ...deadLetters } }
  await vhost.barely((channel) => channel.assertQueue('work', options))
}

async function setPolicy({ vhost }: Scene, definition: object, pattern: string): Promise<void> {
  await vhost.manage('PUT', `policies/${vhost.name}/theirs`, { pattern, definition, 'apply-to': 'queues' })
}

function checking(broker: Broker): void {
  let scene: Scene
  beforeAll(async () => {
    scene = await setUp(broker)
  })
  afterAll(() => scene.transport.close())
  /** Each test begins with an empty virtual host of its own. */
  const fresh = async (): Promise<Scene> => {
    await scene.transport.close()
    scene = await setUp(broker)
    return scene
  }

  test('an empty virtual host lacks everything, and the check creates nothing', async () => {
    const { check, vhost } = await fresh()
    expect(await check()).toEqual(['missing channel-missing dead', 'missing channel-missing work'])
    expect(await check()).toHaveLength(2)
    expect(await vhost.manage('GET', `queues/${vhost.name}`)).toEqual([])
  })

  test('what apply made is clean', async () => {
    const { check, transport } = await fresh()
    await transport.provision(wanted, 'apply')
    expect(await check()).toEqual([])
  })

  test('without the management API what cannot be seen is unknown, and not fine', async () => {
    const { vhost, transport } = await fresh()
    await transport.provision(wanted, 'apply')
    const blind = rabbitmq({ url: vhost.url })
    expect(words(await blind.provision(wanted, 'check'))).toEqual(['unknown policies-unseen dead'])
    await blind.close()
  })

  describe('a dead-letter exchange of one’s own', () => {
    async function withExchange(bind?: (vhost: Vhost) => Promise<unknown>): Promise<string[]> {
      const here = await fresh()
      await declareByHand(here, 'dlx', 'letters')
      if (bind) await here.vhost.barely((channel) => channel.assertExchange('dlx', 'direct'))
      await bind?.(here.vhost)
      await here.transport.provision(wanted, 'apply')
      return here.check()
    }
    const bindTo = (queue: string, key: string) => (vhost: Vhost) =>
      vhost.barely(async (channel) => {
        await channel.assertQueue(queue, { durable: true })
        await channel.bindQueue(queue, 'dlx', key)
      })

    test('that does not exist is fatal', async () => {
      expect(await withExchange()).toEqual(['fatal dead-letter-exchange-missing work'])
    })

    test('to which nothing is bound is fatal', async () => {
      expect(await withExchange(async () => {})).toEqual(['fatal dead-letter-unbound work'])
    })

    test('a check that does not look at bindings would not find the unbound one', async () => {
      await withExchange(async () => {})
      const blind = rabbitmq({ url: scene.vhost.url })
      expect(words(await blind.provision(wanted, 'check'))).not.toContain('fatal dead-letter-unbound work')
      await blind.close()
    })

    test('that is bound for another routing key is fatal', async () => {
      const bindDead = async (vhost: Vhost): Promise<void> => {
        await scene.transport.provision({ channels: wanted.channels.slice(0, 1) }, 'apply')
        await vhost.barely((channel) => channel.bindQueue('dead', 'dlx', 'other'))
      }
      expect(await withExchange(bindDead)).toEqual(['fatal dead-letter-unrouted work'])
    })

    test('that is bound to another queue only is told', async () => {
      expect(await withExchange(bindTo('elsewhere', 'letters'))).toEqual(['warning dead-letter-differs work'])
    })

    test('that is bound to the dead-letter queue for that key is clean', async () => {
      const bindDead = async (vhost: Vhost): Promise<void> => {
        await scene.transport.provision({ channels: wanted.channels.slice(0, 1) }, 'apply')
        await vhost.barely((channel) => channel.bindQueue('dead', 'dlx', 'letters'))
      }
      expect(await withExchange(bindDead)).toEqual([])
    })
  })

  test('a dead-letter queue that a restart loses is fatal', async () => {
    const { vhost, transport, check } = await fresh()
    await vhost.barely((channel) => channel.assertQueue('dead', { durable: false }))
    await transport.provision(wanted, 'apply')
    expect(await check()).toEqual(['fatal not-durable dead', 'warning queue-type-differs dead'])
  })

  test('a policy is seen at once, named, and what it does to messages is told', async () => {
    const here = await fresh()
    await here.transport.provision(wanted, 'apply')
    await setPolicy(here, { 'message-ttl': 1000, 'max-length': 10 }, '^dead$')
    expect(await here.check()).toEqual([
      'warning ttl-differs dead',
      'fatal expiry-loses dead',
      'fatal overflow-loses dead',
      'warning policy-overrides dead',
    ])
  })

  test('a delivery limit that a policy lowers is told', async () => {
    const here = await fresh()
    await here.transport.provision(wanted, 'apply')
    await setPolicy(here, { 'delivery-limit': 5 }, '^work$')
    expect(await here.check()).toEqual(['warning delivery-limit-low work', 'warning policy-overrides work'])
  })

  test('a policy for all queues is fatal for delay queues, and one for others is not', async () => {
    const here = await fresh()
    await here.transport.provision(wanted, 'apply')
    await setPolicy(here, { expires: 60_000 }, '^elsewhere')
    expect(await here.check()).toEqual([])
    await setPolicy(here, { expires: 60_000 }, '^redrive[.]')
    expect(await here.check()).toContain('fatal policy-overrides redrive.delay.03')
  })

  test('a delay queue with other arguments and a way home without orphans are fatal', async () => {
    const { vhost, transport, check } = await fresh()
    await vhost.barely(async (channel) => {
      await channel.assertQueue('redrive.delay.01', {
        durable: true,
        arguments: { 'x-queue-type': 'quorum', 'x-message-ttl': 1 },
      })
      await channel.assertExchange('redrive.return', 'topic', { durable: true })
    })
    await transport.provision(wanted, 'apply')
    expect(await check()).toEqual(['fatal delay-differs work', 'fatal delay-differs work'])
  })

  test('a way home that somebody unbound is missing, and apply binds it again', async () => {
    const { vhost, transport, check } = await fresh()
    await transport.provision(wanted, 'apply')
    const bound = (await vhost.manage('GET', `bindings/${vhost.name}`)) as { source: string; routing_key: string }[]
    const home = bound.find(({ source }) => source === 'redrive.return')
    await vhost.barely((channel) => channel.unbindQueue('work', 'redrive.return', home?.routing_key ?? ''))
    expect(await check()).toEqual(['missing delay-unbound work'])
    expect(words(await transport.provision(wanted, 'apply'))).toEqual(['created delay-bound work'])
    expect(await check()).toEqual([])
  })
}

function applying(broker: Broker): void {
  type Apply = (scene: Scene) => Promise<unknown>
  const ours: Apply = ({ transport }) => transport.provision(wanted, 'apply')

  /** What was there before and is not there any more, or not as it was. */
  async function harmedBy(apply: Apply): Promise<readonly string[]> {
    const scene = await setUp(broker)
    await scene.vhost.barely(async (channel) => {
      await channel.assertQueue('work', { durable: true, arguments: { 'x-queue-type': 'classic', 'x-max-length': 7 } })
      await channel.sendToQueue('work', Buffer.from('kept'), { persistent: true })
      await channel.assertQueue('redrive.delay.02', { durable: true })
      await channel.assertExchange('redrive.delay.00', 'direct')
      await channel.bindQueue('work', 'amq.topic', 'theirs')
    })
    const before = await everythingIn(scene.vhost)
    await apply(scene)
    const after = await everythingIn(scene.vhost)
    await scene.transport.close()
    return before.filter((part) => !after.includes(part))
  }

  test('nothing that was there is deleted or altered, whatever differs', async () => {
    expect(await harmedBy(ours)).toEqual([])
  })

  test('an apply that creates anew what differs would be found out', async () => {
    const deleting: Apply = async (scene) => {
      await scene.vhost.barely((channel) => channel.deleteQueue('work'))
      await ours(scene)
    }
    const harmed = await harmedBy(deleting)
    expect(harmed.join()).toContain('"x-max-length":7')
    expect(harmed).toContain('messages in work: 1')
  })
}

async function everythingIn(vhost: Vhost): Promise<readonly string[]> {
  const { queues, exchanges, bindings } = (await vhost.manage('GET', `definitions/${vhost.name}`)) as Record<string, object[]>
  const count = await vhost.barely((channel) => channel.checkQueue('work')).then(({ messageCount }) => messageCount)
  const parts = [...(queues ?? []), ...(exchanges ?? []), ...(bindings ?? [])]
  return [...parts.map((part) => JSON.stringify(part)), `messages in work: ${count}`]
}
