import type { Broker } from '../../scripts/brokers/start.ts'
import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import { type QueueType, rabbitmq } from '../../src/transports/rabbitmq/rabbitmq.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { createVhost, untilQueuesOutliveAKill } from './rabbitmq.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export const rabbitmqVersions: readonly string[] = ['4.0', '3.10']
const queueTypes: readonly QueueType[] = ['quorum', 'classic']

/** Every version with every type of queue. */
export async function* subjects(): AsyncGenerator<Subject | { readonly notRun: string }> {
  for (const version of rabbitmqVersions) {
    const broker = await brokerForTests('rabbitmq', version)
    if ('notRun' in broker) {
      yield broker
      continue
    }
    for (const queueType of queueTypes) yield await rabbitmqSubject(broker, queueType)
    await broker.stop()
  }
}

export async function rabbitmqSubject(broker: Broker, queueType: QueueType): Promise<Subject> {
  const vhost = await createVhost(broker)
  const proxies: TcpProxy[] = []

  async function openFragile(): Promise<Fragile> {
    const proxy = await tcpProxy(vhost.port)
    proxies.push(proxy)
    const url = vhost.url.replace(`:${vhost.port}`, `:${proxy.port}`)
    return { transport: rabbitmq({ url, queueType, connectWithin: '8s' }), crash: () => proxy.close() }
  }

  return {
    name: 'rabbitmq',
    label: `rabbitmq ${broker.version} ${queueType}`,
    shortHold: 250,
    shortDelay: 500,
    quiet: 250,
    patience: 60_000,
    open: async () => rabbitmq({ url: vhost.url, queueType }),
    openFragile,
    async restart() {
      await untilQueuesOutliveAKill()
      await broker.restart()
    },
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
      await vhost.remove()
    },
  }
}
