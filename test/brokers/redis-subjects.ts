import type { Broker } from '../../scripts/brokers/start.ts'
import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import { redis } from '../../src/transports/redis/redis.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export const redisVersions: readonly string[] = ['7.0', 'valkey-8.1']

export async function* subjects(): AsyncGenerator<Subject | { readonly notRun: string }> {
  for (const version of redisVersions) {
    const broker = await brokerForTests('redis', version)
    if ('notRun' in broker) {
      yield broker
      continue
    }
    yield redisSubject(broker)
    await broker.stop()
  }
}

export function redisSubject(broker: Broker): Subject {
  const proxies: TcpProxy[] = []

  async function openFragile(): Promise<Fragile> {
    const server = new URL(broker.url)
    const proxy = await tcpProxy(Number(server.port))
    proxies.push(proxy)
    server.port = String(proxy.port)
    return { transport: redis({ url: server.href, connectWithin: '8s' }), crash: () => proxy.close() }
  }

  return {
    name: 'redis',
    label: `redis ${broker.version}`,
    shortHold: 300,
    quiet: 250,
    patience: 60_000,
    open: async () => redis({ url: broker.url }),
    openFragile,
    restart: () => broker.restart(),
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
