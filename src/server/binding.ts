import { BlockList, isIP } from 'node:net'
import { RedriveError } from '../core/errors.ts'

export interface Binding {
  readonly host: string
  readonly tls?: object
  readonly behindProxy: boolean
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

const near = new BlockList()
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  near.addSubnet(network, prefix)
}
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

/**
 * Whose word about addresses is believed: only that of the peer itself, the first hop, and only where a proxy would stand. Whoever reaches the
 * port past the proxy from elsewhere is who they are.
 */
export function isTheProxy(address: string, hop: number): boolean {
  return hop === 0 && near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Passwords and payloads do not cross a network in the clear by accident. */
export function refuseOpenBinding({ host, tls, behindProxy }: Binding): void {
  if (tls !== undefined || behindProxy || isLoopback(host)) return
  throw new RedriveError(
    'bad-option',
    `The server would listen on ${host} without TLS. Give it a certificate (tls), say that a proxy in front of it does TLS (behindProxy), or listen on 127.0.0.1.`,
  )
}

function isLoopback(host: string): boolean {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}
