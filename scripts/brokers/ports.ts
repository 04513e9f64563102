import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ephemeral range of Linux, which begins at 32768: in that range a readiness probe that connects before the broker
 * listens can be given the very port it asks for as its own, and then talks to itself.
 */
const lowest = 20_000
const highest = 32_000

export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if (await isFree(port)) ports.add(port)
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
