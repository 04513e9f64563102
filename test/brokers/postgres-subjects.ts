import type { Broker } from '../../scripts/brokers/start.ts'
import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import { postgres } from '../../src/transports/postgres/postgres.ts'
import { brokerForTests } from './broker-for-tests.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

export const postgresVersions: readonly string[] = ['15']

export async function* subjects(): AsyncGenerator<Subject | { readonly notRun: string }> {
  for (const version of postgresVersions) {
    const broker = await brokerForTests('postgres', version)
    if ('notRun' in broker) {
      yield broker
      continue
    }
    yield postgresSubject(broker)
    await broker.stop()
  }
}

export function postgresSubject(broker: Broker): Subject {
  const proxies: TcpProxy[] = []

  async function openFragile(): Promise<Fragile> {
    const server = new URL(broker.url)
    const proxy = await tcpProxy(Number(server.port))
    proxies.push(proxy)
    server.port = String(proxy.port)
    return { transport: postgres({ url: server.href, connectWithin: '8s' }), crash: () => proxy.close() }
  }

  return {
    name: 'postgres',
    label: `postgres ${broker.version}`,
    shortHold: 300,
    quiet: 250,
    patience: 60_000,
    open: async () => postgres({ url: broker.url }),
    openFragile,
    restart: () => broker.restart(),
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
