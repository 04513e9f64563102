import { BlockList } from 'node:net'
import { RedriveError } from '../core/errors.ts'
import { listOf, wholeNumber } from '../core/option-checks.ts'
import type { OptionReader } from '../core/options.ts'
import { addressGuard, someAddresses } from './address-guard.ts'
import { anHttpUrl } from './http-fields.ts'
import type { MayConnect } from './http-post.ts'

/** Where a receiver is, and whether it may be there. */
export interface HttpTarget {
  readonly url: URL
  readonly mayConnect: MayConnect
}

export const httpKeys = ['url', 'allowAddresses', 'allowPorts'] as const
type HttpKey = (typeof httpKeys)[number]

const webPorts: readonly number[] = [80, 443]

/** `usual` are ports that this kind of receiver has beside those of the web. */
export function readHttpTarget(given: OptionReader<HttpKey>, usual: readonly number[] = [], standard?: string): HttpTarget {
  const url = standard === undefined ? given.required('url', anHttpUrl) : given.read('url', anHttpUrl, new URL(standard))
  const mayConnect = addressGuard(given.read('allowAddresses', someAddresses, new BlockList()))
  const ports = [...webPorts, ...usual, ...given.read('allowPorts', listOf(wholeNumber({ min: 1, max: 65_535 }), 100), [])]
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (!ports.includes(port)) {
    const allowed = `Allowed: ${ports.join(', ')}, and those of ${given.where('allowPorts')}.`
    throw new RedriveError(
      'bad-option',
      `${given.where('url')} needs a port that receivers of this kind have, not ${port}. ${allowed}`,
    )
  }
  refuseLiteral(url, mayConnect, given)
  return { url, mayConnect }
}

/** An address that stands in the URL is known to be forbidden before anything is sent; a name is looked at each time. */
function refuseLiteral({ hostname }: URL, mayConnect: MayConnect, given: OptionReader<HttpKey>): void {
  const address = hostname.replace(/^\[|\]$/g, '')
  const isLiteral = /^[\d.]+$/.test(address) || address.includes(':')
  if (!isLiteral || mayConnect(address)) return
  throw new RedriveError(
    'bad-option',
    `${given.where('url')} needs an address on the internet. If this one is meant, name it in ${given.where('allowAddresses')}.`,
  )
}
