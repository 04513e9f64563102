import { RedriveError } from '../core/errors.ts'
import { isOnThisMachine } from '../core/server-url.ts'

/** The part of a request by which a browser says where it comes from. */
export interface Sender {
  readonly origin: string | undefined
  readonly secFetchSite: string | undefined
  readonly host: string | undefined
}

export interface Home {
  /** The address that browsers see, where it is not the one of the request. */
  readonly publicUrl?: string
  /** Whether browsers come by https. */
  readonly secure: boolean
}

/**
 * Whether a request that a cookie signs was sent by a page of our own. Browsers send one of the two headers with everything that changes
 * something; a request with neither may come from anywhere and is refused. What is there has to agree.
 */
export function isFromOurPages(sender: Sender, home: Home): boolean {
  if (sender.origin === undefined && sender.secFetchSite === undefined) return false
  return isNotForeign(sender, home)
}

/** The same for requests that no cookie signs: programs send neither header, and may. */
export function isNotForeign({ origin, secFetchSite, host }: Sender, home: Home): boolean {
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin') return false
  return origin === undefined || origin === ownOrigin(host, home)
}

/** Where browsers find this server, for others to send them back to: nobody outside of this machine chooses that by a header. */
export function addressForBrowsers(host: string | undefined, home: Home): string {
  const address = ownOrigin(host, home)
  if (address !== undefined && (home.publicUrl !== undefined || isOnThisMachine(URL.parse(address)?.hostname ?? '')))
    return address
  throw new RedriveError(
    'bad-request',
    'This server was asked by another address than its own. Set server.publicUrl to the one that browsers see.',
  )
}

function ownOrigin(host: string | undefined, { publicUrl, secure }: Home): string | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl).origin
  return host === undefined ? undefined : `${secure ? 'https' : 'http'}://${host.toLowerCase()}`
}
