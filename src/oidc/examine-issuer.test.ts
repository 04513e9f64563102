import { describe, expect, test } from 'vitest'
import { findingsAbout } from './examine-issuer.ts'

const good = {
  issuer: 'https://login.example',
  authorization_endpoint: 'https://login.example/authorize',
  token_endpoint: 'https://login.example/token',
  jwks_uri: 'https://login.example/keys',
  end_session_endpoint: 'https://login.example/end',
  response_types_supported: ['code', 'id_token'],
  code_challenge_methods_supported: ['plain', 'S256'],
  id_token_signing_alg_values_supported: ['RS256', 'HS256'],
}

function wrongWith(change: object): readonly string[] {
  const findings = findingsAbout({ ...good, ...change })
  return findings.filter(({ severity }) => severity !== 'fine').map(({ severity, what }) => `${severity} ${what}`)
}

describe('the discovery document of an issuer', () => {
  test('that fits has nothing to be said about', () => expect(wrongWith({})).toEqual([]))

  test.each<[string, object, string]>([
    ['gives no codes', { response_types_supported: ['id_token'] }, 'fatal code flow'],
    ['has no token endpoint', { token_endpoint: undefined }, 'fatal code flow'],
    ['only takes plain challenges', { code_challenge_methods_supported: ['plain'] }, 'fatal PKCE'],
    ['says nothing about challenges', { code_challenge_methods_supported: undefined }, 'unknown PKCE'],
    ['signs with secrets that clients share', { id_token_signing_alg_values_supported: ['HS256', 'none'] }, 'fatal signatures'],
    ['does not say how it signs', { id_token_signing_alg_values_supported: undefined }, 'fatal signatures'],
    ['publishes no keys', { jwks_uri: undefined }, 'fatal keys'],
  ])('that %s is told', (_what, change, finding) => expect(wrongWith(change)).toEqual([finding]))

  test('without a place to sign out is fine', () => expect(wrongWith({ end_session_endpoint: undefined })).toEqual([]))
})
