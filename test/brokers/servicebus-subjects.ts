import type { Fragile, Subject } from '../../src/transports/conformance/subject.ts'
import { type ServicebusOptions, servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { type ServiceBusServer, startServer } from '../servicebus/server.ts'
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts'

/** With and without sessions, which are two kinds of entities. */
export async function* subjects(): AsyncGenerator<Subject> {
  for (const sessions of [false, true]) {
    // Nobody receives from the channel whose messages expire: the service would wait for somebody who does.
    const server = await startServer({ expiry: 'eager' })
    yield servicebusSubject(server, sessions)
    await server.stop()
  }
}

export function servicebusSubject(server: ServiceBusServer, sessions: boolean): Subject {
  const proxies: TcpProxy[] = []
  // The shortest that the service allows; a shorter one ends under our hands when the machine is busy.
  const lockDuration = 5000
  const common: ServicebusOptions = {
    connectionString: server.connectionString,
    adminEndpoint: server.adminEndpoint,
    sessions,
    lockDuration,
  }

  async function openFragile(): Promise<Fragile> {
    const proxy = await tcpProxy(server.port)
    proxies.push(proxy)
    const connectionString = server.connectionString.replace(`:${server.port}`, `:${proxy.port}`)
    return { transport: servicebus({ ...common, connectionString, answerWithin: '8s' }), crash: () => proxy.close() }
  }

  return {
    name: sessions ? 'servicebus-sessions' : 'servicebus',
    label: sessions ? 'servicebus with sessions' : 'servicebus',
    shortHold: lockDuration,
    shortDelay: 500,
    quiet: 300,
    patience: 60_000,
    deadLetterOf: ({ name, group }) => ({ name, ...(group !== undefined && { group }), part: 'dead-letter' }),
    open: async () => servicebus(common),
    openFragile,
    async restart() {
      await server.pause()
      await server.resume()
    },
    async close() {
      await Promise.all(proxies.map((proxy) => proxy.close()))
    },
  }
}
