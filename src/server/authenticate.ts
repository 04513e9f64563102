import type { FastifyRequest } from 'fastify'
import type { Context } from './api.ts'
import type { Principal } from './principal.ts'

/** Who sent it: by a token where there is one, else by the cookie of a session. */
export async function authenticate(
  request: FastifyRequest,
  { accounts, cookie }: Pick<Context, 'accounts' | 'cookie'>,
  why: 'use' | 'look',
): Promise<Principal | undefined> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const [scheme = '', token = ''] = authorization.split(' ')
    return scheme.toLowerCase() === 'bearer' ? accounts.byToken(token) : undefined
  }
  const secret = cookie.read(request)
  return secret === undefined ? undefined : accounts.bySession(secret, why)
}
