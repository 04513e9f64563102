import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { User } from '../../vault/operations/accounts.ts'
import type { Vault } from '../../vault/vault.ts'
import { noted } from '../noted.ts'
import type { Access, AuditReading, NewToken, Tokens, Users, WithLink } from './access.ts'
import { refusePartialAdmin, userNames } from './grants.ts'

/** How secrets are drawn and kept: the server's way, so that it takes what was made here. */
export interface Secrets {
  drawToken(): string
  drawLink(): string
  fingerprintOf(secret: string): string
  setupPath(secret: string): string
}

export interface AccessOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly secrets: Secrets
  /** Who it is that works on the file. */
  readonly actor: string
}

const day = 24 * 60 * 60_000
const linkLifetime = 60 * 60_000
const mostDays = 366

/** Whoever has the file of a vault may do anything with it; what is done this way stands in the audit trail all the same. */
export function accessIn(options: AccessOptions): Access {
  const noted = noteIn(options)
  return { audit: auditIn(options.vault), tokens: tokensIn(options, noted), users: usersIn(options, noted) }
}

type Noted = <T>(action: string, object: string, detail: object, work: () => Promise<T>) => Promise<T>

function noteIn({ vault, clock, actor }: AccessOptions): Noted {
  return (action, object, detail, work) =>
    noted(vault, clock, { actor, address: 'vault file', action, object, detail: JSON.stringify(detail) }, work)
}

function auditIn(vault: Vault): AuditReading {
  return {
    async list({ limit, before }) {
      const rows = await vault.read('listAudit', { limit, ...(before !== undefined && { before }) })
      const last = rows.at(-1)
      return {
        rows: rows.map(({ detail, ...row }) => ({ ...row, detail: JSON.parse(detail) as Record<string, unknown> })),
        ...(rows.length === limit && last && { next: last.seq }),
      }
    },
    verify: (expected) => vault.read('verifyAudit', expected ? { expected } : {}),
  }
}

function tokensIn({ vault, clock, secrets }: AccessOptions, noted: Noted): Tokens {
  async function issue({ user: owner, days, ...wanted }: NewToken): ReturnType<Tokens['create']> {
    const user = (await vault.read('listUsers', undefined)).find(({ name }) => name === owner)
    if (!user) throw new RedriveError('not-found', `There is no user ${owner}. Make one first, with redrive users create.`)
    if (days > mostDays) throw new RedriveError('bad-option', `A token is good for at most ${mostDays} days.`)
    const secret = secrets.drawToken()
    const now = clock.now()
    const kept = { hash: secrets.fingerprintOf(secret), last4: secret.slice(-4), now, expiresAt: now + days * day }
    return { token: await vault.write('issueToken', { ...wanted, ...kept, user: user.id }), secret }
  }

  return {
    list: () => vault.read('listTokens', {}),
    async create(wanted) {
      refusePartialAdmin(wanted)
      return noted('tokens.issue', '/tokens', wanted, () => issue(wanted))
    },
    revoke: (id) => noted('tokens.revoke', `/tokens/${id}`, {}, () => vault.write('revokeToken', { id, now: clock.now() })),
  }
}

function usersIn({ vault, clock, secrets }: AccessOptions, noted: Noted): Users {
  async function withLink(user: User): Promise<WithLink> {
    const secret = secrets.drawLink()
    const expiresAt = clock.now() + linkLifetime
    await vault.write('issueLink', { id: user.id, hash: secrets.fingerprintOf(secret), expiresAt })
    return { user, link: secrets.setupPath(secret) }
  }

  return {
    list: () => vault.read('listUsers', undefined),
    async create(wanted) {
      refusePartialAdmin(wanted)
      if (!userNames.form.test(wanted.name)) throw new RedriveError('bad-option', `A name has ${userNames.told}.`)
      return noted('users.create', '/users', wanted, async () =>
        withLink(await vault.write('createUser', { ...wanted, now: clock.now() })),
      )
    },
    async change(id, change) {
      const before = await vault.read('showUser', { id })
      refusePartialAdmin({ ...before, ...change })
      return noted('users.change', `/users/${id}`, change, () =>
        vault.write('changeUser', { id, version: before.version, ...change }),
      )
    },
    async link(id) {
      const user = await vault.read('showUser', { id })
      return noted('users.link', `/users/${id}/link`, {}, () => withLink(user))
    },
  }
}
