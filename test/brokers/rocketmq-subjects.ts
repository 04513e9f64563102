import type { Broker } from '../../scripts/brokers/start.ts'
import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import type { TopicKind } from '../../src/transports/rocketmq/capabilities.ts'
import { type RocketmqOptions, rocketmq } from '../../src/transports/rocketmq/rocketmq.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { throughPort } from './rocketmq.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export const rocketmqVersions: readonly string[] = ['5.5.0']
export const topicKinds: readonly TopicKind[] = ['normal', 'fifo', 'delay']

/** An ordered queue gives out nothing more before everything is settled that it gave out: who wants to hold many needs many queues. */
const queues: Readonly<Record<TopicKind, number>> = { normal: 8, fifo: 256, delay: 8 }

/** All kinds of topic, on one server. */
export async function* subjects(): AsyncGenerator<Subject | { readonly notRun: string }> {
  for (const version of rocketmqVersions) {
    const broker = await brokerForTests('rocketmq', version)
    if ('notRun' in broker) {
      yield broker
      continue
    }
    for (const topics of topicKinds) yield rocketmqSubject(broker, topics)
    await broker.stop()
  }
}

export function rocketmqSubject(broker: Broker, topics: TopicKind): Subject {
  const proxies: TcpProxy[] = []
  // A group keeps order or does not, and both kinds of topic are on one server.
  const options: Omit<RocketmqOptions, 'url'> = { topics, pollFor: '500ms', group: `redrive-${topics}`, queues: queues[topics] }

  async function openFragile(): Promise<Fragile> {
    const proxy = await tcpProxy(Number(new URL(broker.url).port))
    proxies.push(proxy)
    return { transport: rocketmq({ ...options, url: throughPort(broker.url, proxy.port) }), crash: () => proxy.close() }
  }

  return {
    name: topics === 'normal' ? 'rocketmq' : `rocketmq-${topics}`,
    label: `rocketmq ${topics} (${broker.version})`,
    // What is to come back is looked for once a second, and it takes the broker up to three to give it out.
    shortHold: 1000,
    quiet: 700,
    patience: 60_000,
    open: async () => rocketmq({ ...options, url: broker.url }),
    openFragile,
    restart: () => broker.restart(),
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
