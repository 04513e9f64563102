import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ephemeral range of Linux, which begins at 32768: in that range a readiness probe that connects before the broker
 * listens can be given the very port it asks for as its own, and then talks to itself.
 */
const lowest = 20_000
const highest = 32_000
/** RocketMQ's broker listens two below its port as well, and nobody can tell it otherwise. */
const apart = 4

/** Nobody else is given them while this process lives: brokers that start at the same time, and one that comes back, find theirs free. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowest + apart * Math.floor(Math.random() * ((highest - lowest) / apart))
    if ((await isFree(port)) && (await claim(port))) ports.add(port)
  }
  return [...ports]
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

/** Between the choice of a port and the moment when a broker listens there, seconds pass. A socket of the other kind says whose it is, and dies with us. */
export async function claim(port: number): Promise<boolean> {
  const mark = createSocket('udp4')
  try {
    mark.bind({ port, address: '127.0.0.1', exclusive: true })
    await once(mark, 'listening')
    mark.unref()
    return true
  } catch {
    mark.close()
    return false
  }
}
