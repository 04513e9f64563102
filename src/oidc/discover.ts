import { RedriveError } from '../core/errors.ts'
import { isOnThisMachine } from '../core/server-url.ts'
import type { OpenidClient } from './library.ts'
import type { OidcLogin } from './oidc-login.ts'

export type Discovered = Awaited<ReturnType<OpenidClient['discovery']>>
export type Metadata = ReturnType<Discovered['serverMetadata']>

/** Seconds. Somebody waits in front of a browser. */
const patience = 10

/** Asks the issuer what it can and where. Signatures of its tokens are checked, also of those that it gave to this server itself. */
export async function discover(client: OpenidClient, login: OidcLogin): Promise<Discovered> {
  const server = new URL(login.issuer)
  const { allowInsecureRequests, enableNonRepudiationChecks, customFetch } = client
  const found = await client.discovery(server, login.clientId, undefined, authenticateBy(client, login), {
    timeout: patience,
    execute: [enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowInsecureRequests] : [])],
    [customFetch]: (url: string, options: object) => fetch(refuseClear(url), options as RequestInit),
  })
  refuseManyTenants(found.serverMetadata().issuer, server)
  return found
}

/** As OpenID Connect has it unless an issuer says that it only takes the other way. */
function authenticateBy(client: OpenidClient, { clientSecret }: OidcLogin): ReturnType<OpenidClient['ClientSecretBasic']> {
  const inHeader = client.ClientSecretBasic(clientSecret)
  const inBody = client.ClientSecretPost(clientSecret)
  return (server, ...rest) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (taken.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest)
  }
}

/** An issuer on this machine may be asked in clear; that it names another machine for the rest must not send secrets there. */
function refuseClear(address: string): string {
  const { protocol, hostname } = new URL(address)
  if (protocol === 'https:' || (protocol === 'http:' && isOnThisMachine(hostname))) return address
  throw new RedriveError('bad-config', 'The issuer names an address without TLS.')
}

/** The library makes an exception for addresses that stand for the issuers of everybody, such as `…/common/v2.0`: then anybody could come. */
function refuseManyTenants(named: string, expected: URL): void {
  if (new URL(named).href === expected.href) return
  throw new RedriveError('bad-config', 'The issuer calls itself otherwise than login.oidc.issuer does.')
}
