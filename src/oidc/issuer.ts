import type { Clock } from '../core/ports.ts'
import { type Claims, hasClaim } from './claims.ts'
import { type Discovered, discover } from './discover.ts'
import type { OpenidClient } from './library.ts'
import type { OidcLogin } from './oidc-login.ts'
import { LoginRefusal } from './refusal.ts'
import { understandFailure } from './understand-failure.ts'

/** What this server has to know when somebody comes back from the issuer, and nobody else may choose. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  /** Of PKCE: whoever gets hold of the code alone can do nothing with it. */
  readonly verifier: string
  readonly redirectUri: string
}

export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}

/** The one whom the configuration names. Rejections are of `login-refused`, or say that it does not answer. */
export interface Issuer {
  /** Where a browser is sent, and what to remember until it comes back. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly attempt: Attempt }>
  /** Who it is. `search` is what the issuer gave the browser to bring along. */
  finish(attempt: Attempt, search: string): Promise<Identity>
  /** Where somebody ends their session at the issuer; absent where it has no such place. */
  signOutUrl(backTo: string): Promise<string | undefined>
}

/** Milliseconds. What an issuer says about itself seldom changes; its keys are asked for anew by themselves. */
const discoveredFor = 60 * 60_000
/** The longest that OpenID Connect allows. */
const longestSubject = 255

export function createIssuer(client: OpenidClient, login: OidcLogin, clock: Clock): Issuer {
  let known: { readonly found: Promise<Discovered>; readonly at: number } | undefined

  /** Once for all who wait; a failure is not remembered. */
  function discovered(): Promise<Discovered> {
    const now = clock.monotonic()
    if (!known || now - known.at >= discoveredFor) {
      const found = discover(client, login)
      const mine = { found, at: now }
      known = mine
      found.catch(() => {
        if (known === mine) known = undefined
      })
    }
    return known.found
  }

  async function understood<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw understandFailure(error, client)
    }
  }

  /** Many issuers say in their token who it is, and only on request which groups they are in. */
  async function withGroups(found: Discovered, claims: Claims, subject: string, accessToken: string): Promise<Claims> {
    if (hasClaim(claims, login.groupsClaim) || found.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(found, accessToken, subject)), ...claims }
  }

  return {
    begin: (redirectUri) =>
      understood(async () => {
        const found = await discovered()
        const attempt = {
          ...{ state: client.randomState(), nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier() },
          redirectUri,
        }
        const url = client.buildAuthorizationUrl(found, {
          ...{ redirect_uri: redirectUri, scope: login.scopes.join(' '), state: attempt.state, nonce: attempt.nonce },
          ...{ code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier), code_challenge_method: 'S256' },
        })
        return { url: url.href, attempt }
      }),
    finish: ({ state, nonce, verifier, redirectUri }, search) =>
      understood(async () => {
        const found = await discovered()
        const answer = new URL(redirectUri)
        answer.search = search
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
        const tokens = await client.authorizationCodeGrant(found, answer, checks)
        const claims = tokens.claims()
        if (!claims || claims.sub.length > longestSubject) throw new LoginRefusal('untrusted-answer', { check: 'subject' })
        const { iss: issuer, sub: subject } = claims
        return { issuer, subject, claims: await withGroups(found, claims, subject, tokens.access_token) }
      }),
    signOutUrl: (backTo) =>
      understood(async () => {
        const found = await discovered()
        if (found.serverMetadata().end_session_endpoint === undefined) return undefined
        return client.buildEndSessionUrl(found, { post_logout_redirect_uri: backTo }).href
      }),
  }
}
