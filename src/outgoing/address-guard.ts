import { BlockList, isIP } from 'node:net'
import { RedriveError } from '../core/errors.ts'
import type { Check } from '../core/options.ts'
import type { MayConnect } from './http-post.ts'

/**
 * What is not a place on the internet: this machine, its networks, the metadata services of clouds, and ways to write such an address inside another. Who
 * can name a URL here could otherwise make the control plane talk to what only it can reach.
 */
const notPublic: readonly (readonly [network: string, bits: number])[] = [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
  ] as const),
  ...([
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
  ] as const),
  ...([
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ] as const),
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 32],
    ['2001:db8::', 32],
  ] as const),
  ...([
    ['2002::', 16],
    ['fc00::', 7],
    ['fe80::', 10],
    ['ff00::', 8],
  ] as const),
]

const refused = new BlockList()
for (const [network, bits] of notPublic) refused.addSubnet(network, bits, familyOf(network))

/** Everything public, and of the rest what an administrator has allowed by address. */
export function addressGuard(allowed: BlockList): MayConnect {
  return (address) => {
    if (isIP(address) === 0) return false
    const family = familyOf(address)
    return allowed.check(address, family) || !refused.check(address, family)
  }
}

/** A list of addresses and of networks such as `10.1.0.0/16`. */
export const someAddresses: Check<BlockList> = (value, where) => {
  const allowed = new BlockList()
  const list = Array.isArray(value) ? value : [value]
  for (const item of list) {
    const [network = '', bits] = typeof item === 'string' ? item.split('/') : []
    const most = isIP(network) === 6 ? 128 : 32
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : -1
    if (isIP(network) === 0 || length < 0 || length > most) {
      throw new RedriveError('bad-option', `${where} holds something else than addresses such as "10.0.0.7" or "10.0.0.0/24".`)
    }
    allowed.addSubnet(network, length, familyOf(network))
  }
  return allowed
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
