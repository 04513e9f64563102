import { type Place, type Scopes, within } from '../core/scopes.ts'
import type { Grant, User } from '../vault/operations/accounts.ts'
import type { KnownToken } from '../vault/operations/tokens.ts'
import { type Need, type Right, rightsOf } from './rights.ts'

/** Whoever sent a request: what they may do, and on which sources, as it is at this moment. */
export interface Principal {
  readonly user: number
  readonly name: string
  readonly role: string
  /** Who says that they are who they are; `null` for users of our own. */
  readonly issuer: string | null
  readonly by: { readonly kind: 'session'; readonly hash: string } | { readonly kind: 'token'; readonly id: number }
  readonly rights: ReadonlySet<Right>
  /** Patterns of `connection/channel`; every list has to match, where there is more than one. */
  readonly scopes: Scopes
  readonly seesAll: boolean
  sees(source: Place): boolean
}

export function principalOfSession(user: User, hash: string): Principal {
  return { ...identity(user), by: { kind: 'session', hash }, ...limits([user]) }
}

/** A token never may more than its user may now, whatever it was given. */
export function principalOfToken(user: User, token: KnownToken): Principal {
  return { ...identity(user), by: { kind: 'token', id: token.id }, ...limits([user, token]) }
}

function identity({ id, name, role, issuer }: User): Pick<Principal, 'user' | 'name' | 'role' | 'issuer'> {
  return { user: id, name, role, issuer }
}

/** Whoever makes users makes one who has all sources, and the audit trail tells of all: with some sources neither would be limited. */
const concernsAllSources: ReadonlySet<Right> = new Set(['users:manage', 'audit:read'])

function limits(grants: readonly Grant[]): Pick<Principal, 'rights' | 'scopes' | 'seesAll' | 'sees'> {
  const [first = new Set<Right>(), ...others] = grants.map(({ role, reveal }) => rightsOf(role, reveal))
  const scopes = grants.map(({ sources }) => sources)
  const seesAll = scopes.every((patterns) => patterns.includes('*'))
  const shared = [...first].filter((right) => others.every((rights) => rights.has(right)))
  return {
    rights: new Set(seesAll ? shared : shared.filter((right) => !concernsAllSources.has(right))),
    scopes,
    seesAll,
    sees: within(scopes),
  }
}

export function may(principal: Principal, need: Need): boolean {
  if (need === 'nothing' || need === 'signed-in') return true
  return need === 'session' ? principal.by.kind === 'session' : principal.rights.has(need)
}
