import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between a client and a broker, and can be cut. */
export interface TcpProxy {
  readonly port: number
  /** How many connections were ever taken. */
  readonly taken: number
  /** Ends every connection without a word; new ones are still taken. */
  cut(): void
  /** From now on nothing passes in either direction, and every connection stays open, also new ones. */
  silence(): void
  /** Ends everything; new connections are refused. Calling it again is the same as calling it once. */
  close(): Promise<void>
}

export async function tcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false
  let taken = 0
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    taken++
    if (isSilent) {
      keep(client)
      return
    }
    const broker = connect(targetPort, '127.0.0.1')
    for (const [one, other] of [
      [client, broker],
      [broker, client],
    ] as const) {
      keep(one)
      one.setNoDelay(true)
      one.pipe(other)
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    get taken() {
      return taken
    },
    cut,
    silence() {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    async close() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      cut()
      await closed
    },
  }
}
