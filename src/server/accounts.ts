import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { isGuess } from '../oidc/refusal.ts'
import type { User } from '../vault/operations/accounts.ts'
import type { PersonOfIssuer } from '../vault/operations/enter-from-issuer.ts'
import type { Vault } from '../vault/vault.ts'
import type { Passwords } from './passwords.ts'
import { type Principal, principalOfSession, principalOfToken } from './principal.ts'
import { type Draw, drawSecret, fingerprintOf, isWellFormedToken } from './secrets.ts'
import { createThrottle, networkOf } from './throttle.ts'

export interface AccountsOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly passwords: Passwords
  readonly draw: Draw
  /** Milliseconds after which a session ends that nobody uses, and after which every session ends. */
  readonly idle: number
  readonly absolute: number
  /** Whether passwords let anybody in. */
  readonly takesPasswords?: boolean
}

/** Everything that lets somebody in. */
export interface Accounts {
  /** While nobody has ever set a password: the secret of a link by which the first admin does. */
  openFirstDoor(): Promise<string | undefined>
  /** A link by which a user sets a password, once and within the hour. */
  issueLink(user: number): Promise<string>
  redeemLink(link: string, password: string, address: string): Promise<User>
  /** Who it is, or a rejection that is the same whatever was wrong. */
  checkPassword(name: string, password: string, address: string): Promise<User>
  /** Somebody whom an issuer knows, with what their groups give them today. */
  fromIssuer(person: Omit<PersonOfIssuer, 'now'>): Promise<User>
  /** Somebody whom an issuer knows, and to whom it gives nothing any more: who they are here, if they ever were. */
  keepOut(person: Pick<PersonOfIssuer, 'issuer' | 'subject'>): Promise<{ readonly name: string } | undefined>
  /** What shows who somebody is: guesses are taken only so often from one network. */
  proven<T>(address: string, prove: () => Promise<T>): Promise<T>
  changePassword(user: User, password: string): Promise<void>
  beginSession(user: User, address: string): Promise<string>
  endSession(secret: string): Promise<void>
  /** Looking whether it is still good is not using it: only use keeps a session from ending. */
  bySession(secret: string, why: 'use' | 'look'): Promise<Principal | undefined>
  byToken(token: string): Promise<Principal | undefined>
}

const linkLifetime = 60 * 60_000
/** Tokens of somebody whom an issuer knows rest when they have not signed in for so long: nobody says that they have left. */
const vouchedFor = 30 * 24 * 60 * 60_000

export function createAccounts(options: AccountsOptions): Accounts {
  const { vault, clock, passwords, draw, idle, absolute, takesPasswords = true } = options
  const byPair = createThrottle({ clock, free: 5 })
  const byNetwork = createThrottle({ clock, free: 20 })
  // Generous, because otherwise anybody could keep a user out from anywhere.
  const byName = createThrottle({ clock, free: 100 })

  function drawLink(): { readonly secret: string; readonly hash: string; readonly expiresAt: number } {
    const secret = drawSecret(draw)
    return { secret, hash: fingerprintOf(secret), expiresAt: clock.now() + linkLifetime }
  }

  function refuseWithoutPasswords(): void {
    if (takesPasswords) return
    throw new RedriveError('not-signed-in', 'Passwords let nobody in here (login.passwords). Sign in with OpenID Connect.')
  }

  return {
    async openFirstDoor() {
      if (!takesPasswords) return undefined
      const { secret, hash, expiresAt } = drawLink()
      const admin = await vault.write('openFirstDoor', { hash, expiresAt, now: clock.now() })
      return admin && secret
    },
    async issueLink(id) {
      const { secret, hash, expiresAt } = drawLink()
      await vault.write('issueLink', { id, hash, expiresAt })
      return secret
    },
    async redeemLink(link, password, address) {
      refuseWithoutPasswords()
      byNetwork.attempt(networkOf(address))
      const presented = { hash: fingerprintOf(link), now: clock.now() }
      const user = await vault.read('findLink', presented)
      if (!user) throw new RedriveError('not-signed-in', 'The link is not valid: it was used, has expired or never existed.')
      const kept = await passwords.hash(password, user.name)
      const redeemed = await vault.write('redeemLink', { ...presented, password: kept })
      byNetwork.refund(networkOf(address))
      return redeemed
    },
    async checkPassword(name, password, address) {
      refuseWithoutPasswords()
      const network = networkOf(address)
      byPair.attempt(`${name} ${network}`)
      byNetwork.attempt(network)
      byName.attempt(name)
      const found = await vault.read('findCredentials', { name })
      const isRight = await passwords.matches(password, found?.password ?? undefined)
      if (!found || !isRight || found.user.disabled || found.user.issuer !== null) {
        throw new RedriveError('not-signed-in', 'The name or the password is wrong.')
      }
      byPair.forget(`${name} ${network}`)
      byNetwork.refund(network)
      byName.forget(name)
      return found.user
    },
    fromIssuer: (person) => vault.write('enterFromIssuer', { ...person, now: clock.now() }),
    keepOut: ({ issuer, subject }) => vault.write('keepOutFromIssuer', { issuer, subject }),
    async proven(address, prove) {
      const network = networkOf(address)
      byNetwork.attempt(network)
      let isRefunded = true
      try {
        return await prove()
      } catch (error) {
        isRefunded = !isGuess(error)
        throw error
      } finally {
        if (isRefunded) byNetwork.refund(network)
      }
    },
    async changePassword({ id, name }, password) {
      await vault.write('setPassword', { id, password: await passwords.hash(password, name) })
    },
    async beginSession(user, address) {
      const secret = drawSecret(draw)
      const now = clock.now()
      await vault.write('beginSession', {
        hash: fingerprintOf(secret),
        user: user.id,
        now,
        address,
        begunBefore: now - absolute,
        usedBefore: now - idle,
      })
      return secret
    },
    async endSession(secret) {
      await vault.write('endSession', { hash: fingerprintOf(secret) })
    },
    async bySession(secret, why) {
      const hash = fingerprintOf(secret)
      const session = await vault.read('findSession', { hash })
      const now = clock.now()
      if (!session || now - session.usedAt >= idle || now - session.madeAt >= absolute) return undefined
      // Often enough that nobody is signed out while working, and seldom enough that reading is not writing.
      if (why === 'use' && now - session.usedAt > idle / 20) await vault.write('touchSession', { hash, now })
      return principalOfSession(session.user, hash)
    },
    async byToken(token) {
      if (!isWellFormedToken(token)) return undefined
      const found = await vault.read('findToken', {
        hash: fingerprintOf(token),
        now: clock.now(),
        vouchedSince: clock.now() - vouchedFor,
      })
      return found && principalOfToken(found.user, found.token)
    },
  }
}
