import type { Broker } from '../../scripts/brokers/start.ts'
import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import { type SqsOptions, sqs } from '../../src/transports/sqs/sqs.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { restartWithQueues } from './sqs.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export const elasticmqVersions: readonly string[] = ['1.7.1']
export const queueKinds = ['standard', 'fifo'] as const

/** Both kinds of queue, on one server. */
export async function* subjects(): AsyncGenerator<Subject | { readonly notRun: string }> {
  for (const version of elasticmqVersions) {
    const broker = await brokerForTests('elasticmq', version)
    if ('notRun' in broker) {
      yield broker
      continue
    }
    for (const queues of queueKinds) yield sqsSubject(broker, queues)
    await broker.stop()
  }
}

export function sqsSubject(broker: Broker, queues: (typeof queueKinds)[number]): Subject {
  const proxies: TcpProxy[] = []
  const options: SqsOptions = { queues, pollFor: '1s' }

  async function openFragile(): Promise<Fragile> {
    const proxy = await tcpProxy(Number(new URL(broker.url).port))
    proxies.push(proxy)
    return { transport: sqs({ ...options, endpoint: `http://127.0.0.1:${proxy.port}` }), crash: () => proxy.close() }
  }

  return {
    name: queues === 'fifo' ? 'sqs-fifo' : 'sqs',
    label: `sqs ${queues} (ElasticMQ ${broker.version})`,
    // SQS counts in whole seconds.
    shortHold: 1000,
    quiet: 1000,
    patience: 60_000,
    open: async () => sqs({ ...options, endpoint: broker.url }),
    openFragile,
    restart: () => restartWithQueues(broker),
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
