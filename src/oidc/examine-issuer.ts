import { discover, type Metadata } from './discover.ts'
import { loadOpenidClient } from './library.ts'
import type { OidcLogin } from './oidc-login.ts'
import { understandFailure } from './understand-failure.ts'

/** What was looked at, and how it is. */
export interface IssuerFinding {
  readonly severity: 'fatal' | 'warning' | 'unknown' | 'fine'
  readonly what: string
  readonly message: string
}

/** Asks the issuer for its discovery document. Nobody is signed in, and no secret is sent. */
export async function examineIssuer(login: OidcLogin): Promise<readonly IssuerFinding[]> {
  const client = await loadOpenidClient()
  try {
    const found = await discover(client, login)
    return [{ severity: 'fine', what: 'issuer', message: `${login.issuer} answers.` }, ...findingsAbout(found.serverMetadata())]
  } catch (error) {
    const { code, message } = understandFailure(error, client)
    const told = code === 'login-refused' ? 'Its discovery document is none, or that of another issuer.' : message
    return [{ severity: 'fatal', what: 'issuer', message: `${login.issuer}: ${told}` }]
  }
}

/** What signing in needs of an issuer. */
export function findingsAbout(metadata: Partial<Metadata>): readonly IssuerFinding[] {
  return [codeFlow(metadata), pkce(metadata), algorithms(metadata), keys(metadata), signOut(metadata)]
}

function codeFlow({ authorization_endpoint, token_endpoint, response_types_supported = [] }: Partial<Metadata>): IssuerFinding {
  const what = 'code flow'
  if (authorization_endpoint === undefined || token_endpoint === undefined)
    return { severity: 'fatal', what, message: 'The issuer names no authorization_endpoint or no token_endpoint.' }
  if (response_types_supported.includes('code')) return { severity: 'fine', what, message: 'The issuer gives codes.' }
  return { severity: 'fatal', what, message: 'response_types_supported has no "code". Allow the authorization code flow there.' }
}

function pkce({ code_challenge_methods_supported: methods }: Partial<Metadata>): IssuerFinding {
  const what = 'PKCE'
  if (methods === undefined)
    return {
      severity: 'unknown',
      what,
      message: 'The issuer does not say whether it checks code challenges. They are sent anyway.',
    }
  if (methods.includes('S256')) return { severity: 'fine', what, message: 'The issuer checks S256.' }
  return { severity: 'fatal', what, message: 'code_challenge_methods_supported has no S256. Switch it on there.' }
}

/** Those that are signed with a key that only the issuer has. */
const asymmetric = /^(?:[RPE]S(?:256|384|512)|EdDSA|Ed25519|ML-DSA-\d+)$/

function algorithms({ id_token_signing_alg_values_supported: offered = [] }: Partial<Metadata>): IssuerFinding {
  const what = 'signatures'
  const good = offered.filter((name) => asymmetric.test(name))
  if (good.length > 0) return { severity: 'fine', what, message: `Tokens are signed with ${good.join(', ')}.` }
  return {
    severity: 'fatal',
    what,
    message:
      'id_token_signing_alg_values_supported names no asymmetric algorithm, such as RS256 or ES256. Sign id tokens with one.',
  }
}

function keys({ jwks_uri }: Partial<Metadata>): IssuerFinding {
  if (jwks_uri !== undefined) return { severity: 'fine', what: 'keys', message: 'The issuer publishes its keys.' }
  return { severity: 'fatal', what: 'keys', message: 'The issuer names no jwks_uri: nobody could check its signatures.' }
}

function signOut({ end_session_endpoint }: Partial<Metadata>): IssuerFinding {
  const what = 'sign-out'
  if (end_session_endpoint !== undefined)
    return { severity: 'fine', what, message: 'Signing out here leads to signing out there.' }
  return { severity: 'fine', what, message: 'The issuer has no end_session_endpoint: signing out ends the session here alone.' }
}
