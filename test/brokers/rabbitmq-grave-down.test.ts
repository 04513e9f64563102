import { describe, expect, test } from 'vitest'
import { rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { type GraveDown, graveDownUnderLoad } from '../grave-down-under-load.ts'
import { onBrokers } from './on-brokers.ts'
import { createVhost, type Vhost } from './rabbitmq.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

/** The consumer is a user of its own, behind a proxy, so that its rights and its connection can be taken away. */
const user = 'consumer'
const password = 'secret'
const allRights = { configure: '.*', write: '.*', read: '.*' }

interface Stage {
  readonly vhost: Vhost
  readonly proxy: TcpProxy
}

type Fault = (stage: Stage) => ReturnType<GraveDown['breakGrave']>

/** What is sent through the default exchange needs the right to write to it. Rights are cached by channel, so the connection is cut. */
async function setRights({ vhost, proxy }: Stage, rights: object): Promise<void> {
  await vhost.manage('PUT', `permissions/${vhost.name}/${user}`, rights)
  proxy.cut()
}

const faults: Readonly<Record<string, Fault>> = {
  'its queue is deleted': async ({ vhost }) => {
    await vhost.barely((channel) => channel.deleteQueue('dead'))
    return async () => {
      const dead = { address: { name: 'dead' }, role: 'dead-letter' } as const
      const repairing = rabbitmq({ url: vhost.url })
      await repairing.provision({ channels: [dead] }, 'apply')
      await repairing.close()
    }
  },
  'the right to write to it is revoked': async (stage) => {
    await setRights(stage, { ...allRights, write: '^$' })
    return () => setRights(stage, allRights)
  },
  'the connection is cut again and again': async (stage) => {
    await setRights(stage, { ...allRights, write: '^$' })
    let cuts = 0
    const cutting = setInterval(() => (++cuts < 10 ? stage.proxy.cut() : clearInterval(cutting)), 1000)
    return async () => {
      clearInterval(cutting)
      await setRights(stage, allRights)
    }
  },
}

/** Takes everything and gives it back: the bare client has no other way to look. */
async function idsIn(vhost: Vhost, queue: string): Promise<readonly string[]> {
  return vhost.barely(async (channel) => {
    const ids: string[] = []
    for (let found = await channel.get(queue); found; found = await channel.get(queue))
      ids.push(String(found.properties.messageId))
    channel.nackAll(true)
    return ids
  })
}

await onBrokers('rabbitmq', ['4.0'], (broker) => {
  describe.each(Object.entries(faults))('the dead-letter channel is down because %s', { timeout: 300_000 }, (name, fault) => {
    test.each(['hold', 'spool'] as const)('with %s, healthy messages flow, and nothing is lost', async (answer) => {
      const vhost = await createVhost(broker)
      await vhost.manage('PUT', `users/${user}`, { password, tags: '' })
      await vhost.manage('PUT', `permissions/${vhost.name}/${user}`, allRights)
      const proxy = await tcpProxy(vhost.port)
      const url = new URL(vhost.url)
      url.username = user
      url.password = password
      url.port = String(proxy.port)
      const [consume, produce] = [rabbitmq({ url: url.href }), rabbitmq({ url: vhost.url })]
      const report = await graveDownUnderLoad({
        consume,
        produce,
        answer,
        breakGrave: () => fault({ vhost, proxy }),
        observe: (queue) => idsIn(vhost, queue),
      })
      console.log(`RabbitMQ, ${name}, ${answer}: ${report}`)
      expect(report).toContain('0 lost')
      await Promise.all([consume.close(), produce.close()])
      await proxy.close()
      await vhost.remove()
    })
  })
})
