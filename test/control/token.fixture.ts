import { systemClock } from '../../src/platform/clock.ts'
import { drawSecurely, drawToken, fingerprintOf } from '../../src/server/secrets.ts'
import type { Vault } from '../../src/vault/vault.ts'

const hour = 3_600_000

/** The token of a new user with this role, who may do with every source what the role allows. */
export async function tokenOf(vault: Vault, role: string): Promise<string> {
  const secret = drawToken(drawSecurely)
  const now = systemClock.now()
  const grant = { role, sources: ['*'], reveal: false }
  const { id: user } = await vault.write('createUser', { name: role, ...grant, now })
  await vault.write('issueToken', {
    ...{ user, name: role, ...grant, hash: fingerprintOf(secret), last4: secret.slice(-4), now, expiresAt: now + hour },
  })
  return secret
}
