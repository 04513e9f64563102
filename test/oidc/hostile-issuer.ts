import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'
import type { OidcLogin } from '../../src/oidc/oidc-login.ts'
import { close, listening } from './real-issuer.ts'

/** An issuer that says whatever a test wants it to say. Its own keys are real, and what it signs with them in order is good. */
export interface HostileIssuer {
  readonly login: OidcLogin
  /** How the next token is made, from claims that would be in order. */
  forge: (claims: Record<string, unknown>) => string
  /** What the discovery document says besides, or instead. */
  readonly metadata: Record<string, unknown>
  /** What the token endpoint answers instead. */
  tokenAnswer: { readonly status: number; readonly body: object } | undefined
  /** How often somebody brought a code. */
  readonly codes: () => number
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const keyId = 'key-1'

export async function hostileIssuer(): Promise<HostileIssuer> {
  let brought = 0
  let nonce = ''
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here')
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (pathname === '/.well-known/openid-configuration') return answer(200, { ...documentOf(login.issuer), ...made.metadata })
    if (pathname === '/jwks')
      return answer(200, { keys: [{ ...rsa.publicKey.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' }] })
    // A person would sign in there; here only what the token has to repeat is taken.
    if (pathname === '/authorize') {
      nonce = searchParams.get('nonce') ?? ''
      return answer(200, {})
    }
    brought++
    if (made.tokenAnswer) return answer(made.tokenAnswer.status, made.tokenAnswer.body)
    return answer(200, { access_token: 'x', token_type: 'Bearer', id_token: made.forge(claimsFor(login, nonce)) })
  })
  const issuer = await listening(http)
  onTestFinished(() => close(http))
  const login: OidcLogin = {
    ...{ issuer, clientId: 'redrive', clientSecret: 'secret of the client', name: 'Hostile', scopes: ['openid'] },
    ...{ groupsClaim: 'groups', nameClaim: 'preferred_username' },
    groups: [{ group: 'ops', role: 'admin', sources: ['*'], reveal: false }],
  }
  const made: HostileIssuer = { login, forge: signed, metadata: {}, tokenAnswer: undefined, codes: () => brought }
  return made
}

function documentOf(issuer: string): object {
  return {
    ...{ issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` },
    ...{ response_types_supported: ['code'], subject_types_supported: ['public'], code_challenge_methods_supported: ['S256'] },
    // It claims to do what nobody may: a client must not believe it.
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  }
}

function claimsFor({ issuer, clientId }: OidcLogin, nonce: string): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  return {
    iss: issuer,
    aud: clientId,
    sub: 'mallory',
    nonce,
    iat: now,
    exp: now + 300,
    groups: ['ops'],
    preferred_username: 'mallory',
  }
}

type Claims = Record<string, unknown>

export function signed(claims: Claims, header: object = {}, key: KeyObject = rsa.privateKey): string {
  const content = unsigned(claims, { alg: 'RS256', kid: keyId, ...header })
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
}

export const signedByStranger = (claims: Claims): string => signed(claims, {}, stranger.privateKey)

/** The oldest trick: what everybody may know, the public key, taken for a secret. */
export function signedWithPublicKey(claims: Claims): string {
  const content = unsigned(claims, { alg: 'HS256', kid: keyId })
  const secret = rsa.publicKey.export({ format: 'pem', type: 'spki' })
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

export const withoutAlgorithm = (claims: Claims): string => `${unsigned(claims, { alg: 'none' })}.`

/** Says that it is signed, and is not. */
export const withoutSignature = (claims: Claims): string => `${unsigned(claims, { alg: 'RS256', kid: keyId })}.`

export const inTwoParts = (claims: Claims): string => unsigned(claims, { alg: 'RS256', kid: keyId })

function unsigned(claims: Claims, header: object): string {
  const encoded = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return encoded.join('.')
}
