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
