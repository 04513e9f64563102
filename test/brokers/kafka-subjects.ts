import type { Broker } from '../../scripts/brokers/start.ts'
import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import { type KafkaOptions, kafka } from '../../src/transports/kafka/kafka.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { endSessionsOf, portOf } from './kafka.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export const kafkaVersions: readonly string[] = ['4.3.1']

export async function* subjects(): AsyncGenerator<Subject | { readonly notRun: string }> {
  for (const version of kafkaVersions) {
    const broker = await brokerForTests('kafka', version)
    if ('notRun' in broker) {
      yield broker
      continue
    }
    yield kafkaSubject(broker)
    await broker.stop()
  }
}

/**
 * Topics have one partition, so that whoever joins a group first has all of it: the suite asks who holds what, and with more
 * partitions that would be chance. What happens with several has tests of its own.
 */
export function kafkaSubject(broker: Broker): Subject {
  const proxies: TcpProxy[] = []
  const group = `conformance-${process.pid}`
  // Members hear of each other by heartbeats; nobody is taken for dead just because the machine is busy.
  const options: KafkaOptions = {
    bootstrapServers: broker.url,
    groupId: group,
    partitions: 1,
    heartbeat: '100ms',
    sessionTimeout: '2m',
  }

  async function openFragile(): Promise<Fragile> {
    const proxy = await tcpProxy(portOf(broker))
    proxies.push(proxy)
    const clientId = `fragile-${proxy.port}`
    const resolveBroker = () => ({ host: '127.0.0.1', port: proxy.port })
    return {
      transport: kafka({ ...options, clientId, answerWithin: '8s', resolveBroker }),
      async crash() {
        await proxy.close()
        await endSessionsOf(broker, group, clientId)
      },
    }
  }

  return {
    name: 'kafka',
    label: `kafka ${broker.version}`,
    shortHold: 250,
    // Far longer than a commit takes on a busy machine: some sentences are about what happens meanwhile.
    shortDelay: 2000,
    quiet: 400,
    patience: 60_000,
    open: async () => kafka(options),
    openFragile,
    restart: () => broker.restart(),
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
