import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { onTestFinished } from 'vitest'
import type { OidcLogin } from '../../src/oidc/oidc-login.ts'

/** Whom the issuer knows, by their subject. */
export type People = Record<string, Record<string, unknown>>

/** `oidc-provider` on a port of this machine, with the forms that it has for developers: any password is right. */
export interface RealIssuer {
  readonly login: OidcLogin
  /** What it says about people; may be changed at any time. */
  readonly people: People
  /** To be told where the servers are before anybody signs in. */
  registerClient(addresses: readonly string[]): void
  close(): Promise<void>
}

export interface RealIssuerOptions {
  readonly people: People
  /** Whether claims stand in the token, or have to be asked for. */
  readonly claimsInToken?: boolean
}

export async function realIssuer({ people, claimsInToken = false }: RealIssuerOptions): Promise<RealIssuer> {
  let answer: ReturnType<InstanceType<typeof Provider>['callback']> | undefined
  const http = createServer((request, response) => void answer?.(request, response))
  const issuer = await listening(http)
  const clientSecret = 'a secret of the client: 100 % & more'
  onTestFinished(() => close(http))
  return {
    people,
    login: {
      ...{ issuer, clientId: 'redrive', clientSecret, name: 'Company login' },
      ...{ scopes: ['openid', 'profile', 'groups'], groupsClaim: 'groups', nameClaim: 'preferred_username' },
      groups: [
        { group: 'redrive-admins', role: 'admin', sources: ['*'], reveal: false },
        { group: 'payments', role: 'operator', sources: ['shop/dlq.orders'], reveal: false },
      ],
    },
    registerClient(addresses) {
      const provider = new Provider(issuer, {
        clients: [
          {
            ...{ client_id: 'redrive', client_secret: clientSecret },
            redirect_uris: addresses.map((address) => `${address}/oidc/callback`),
            post_logout_redirect_uris: addresses.map((address) => `${address}/`),
          },
        ],
        conformIdTokenClaims: !claimsInToken,
        claims: { openid: ['sub'], profile: ['preferred_username', 'email'], groups: ['groups'] },
        cookies: { keys: ['only for tests'] },
        findAccount: async (_context, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, ...people[id] }),
        }),
      })
      answer = provider.callback()
    },
    close: () => close(http),
  }
}

export async function listening(http: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** Also for those who keep a connection open. */
export async function close(http: HttpServer): Promise<void> {
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
}
