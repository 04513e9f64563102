import type { LoginGrant, OidcLogin } from './oidc-login.ts'

/** What an issuer says about somebody, once it has been shown that the issuer said it. */
export type Claims = Readonly<Record<string, unknown>>

export interface Granted extends LoginGrant {
  /** Because of which group; absent for those who are in none. */
  readonly group?: string
}

/** What somebody with these claims may do; `undefined` where nobody said that they may come in. */
export function grantFor(claims: Claims, { groupsClaim, groups, others }: OidcLogin): Granted | undefined {
  const theirs = new Set(textsAt(claims, groupsClaim))
  return groups.find(({ group }) => theirs.has(group)) ?? others
}

/** Of letters that names of users are made of; empty where the claim says nothing of the kind. */
export function nameFrom(claims: Claims, { nameClaim }: Pick<OidcLogin, 'nameClaim'>): string {
  const [said = ''] = textsAt(claims, nameClaim)
  const plain = said.toLowerCase().replaceAll(/[^a-z0-9._@-]+/g, '-')
  return plain.replace(/^[^a-z0-9]+/, '').slice(0, longestName)
}

/** So that a name is as long as others with what is put before and behind it. */
const longestName = 44

export function hasClaim(claims: Claims, claim: string): boolean {
  return claimAt(claims, claim) !== undefined
}

function textsAt(claims: Claims, claim: string): readonly string[] {
  return [claimAt(claims, claim)].flat().filter((each) => typeof each === 'string')
}

/** A claim may be called `https://shop.example/groups`, dots and all; else dots lead into objects, as in `realm_access.roles`. */
function claimAt(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim]
  return claim.split('.').reduce<unknown>((found, step) => {
    const isThere = typeof found === 'object' && found !== null && Object.hasOwn(found, step)
    return isThere ? (found as Claims)[step] : undefined
  }, claims)
}
