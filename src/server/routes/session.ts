import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hasCode, RedriveError } from '../../core/errors.ts'
import type { User } from '../../vault/operations/accounts.ts'
import type { AuditResult } from '../../vault/operations/audit.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import type { Principal } from '../principal.ts'

const name = z.string().min(1).max(64)
/** Longer than any that is taken: what is too long is said by the rule for passwords, not by the schema. */
const password = z.string().min(1).max(1024)

const whoever = z.object({
  name: z.string(),
  role: z.string(),
  by: z.enum(['session', 'token']),
  rights: z.array(z.string()),
  sources: z.array(z.array(z.string())).describe('Every list has to match.'),
})

/** Coming in and going out. These routes write the audit trail by themselves: only here it is known who somebody turned out to be. */
export function sessionRoutes(app: Api, { accounts, audit, cookie, vault }: Context): void {
  const note = (request: FastifyRequest, actor: string, action: string, result: AuditResult): Promise<void> =>
    audit.note({ actor, address: request.ip, action, object: '/session', result })

  /** Names that are not users' are not written down: people type passwords into the wrong field. */
  async function noteFailure(request: FastifyRequest, claimed: string, action: string, error: unknown): Promise<never> {
    // Those who are told to wait were noted when they guessed.
    if (!hasCode(error, 'too-many-attempts')) {
      const known = await vault.read('findCredentials', { name: claimed })
      await note(request, known?.user.name ?? '(nobody)', action, 'denied')
    }
    throw error
  }

  app.post(
    '/session',
    {
      config: { rule: { need: 'nothing', action: 'session.begin', audit: 'own' } },
      schema: {
        summary: 'Sign in with a name and a password. The answer sets a cookie.',
        tags: ['session'],
        security: [],
        body: z.strictObject({ name, password }),
        response: { 200: whoever },
      },
    },
    async (request, reply) => {
      const { body, ip } = request
      const user = await accounts
        .checkPassword(body.name, body.password, ip)
        .catch((error: unknown) => noteFailure(request, body.name, 'session.begin', error))
      await note(request, user.name, 'session.begin', 'done')
      const before = cookie.read(request)
      if (before !== undefined) await accounts.endSession(before)
      return shown(await enter(user, request, (secret) => cookie.set(reply, secret)))
    },
  )

  app.post(
    '/setup',
    {
      config: { rule: { need: 'nothing', action: 'setup.redeem', audit: 'own' } },
      schema: {
        summary: 'Set a password with the token of a one-time link, and sign in.',
        tags: ['session'],
        security: [],
        body: z.strictObject({ token: z.string().min(1).max(100), password }),
        response: { 200: whoever },
      },
    },
    async (request, reply) => {
      const { token, password: chosen } = request.body
      const user = await accounts
        .redeemLink(token, chosen, request.ip)
        .catch((error: unknown) => noteFailure(request, '', 'setup.redeem', error))
      await note(request, user.name, 'setup.redeem', 'done')
      return shown(await enter(user, request, (secret) => cookie.set(reply, secret)))
    },
  )

  app.get(
    '/session',
    {
      config: { rule: { need: 'signed-in', action: 'session.read', audit: 'metadata' } },
      schema: { summary: 'Who am I, and what may I do?', tags: ['session'], response: { 200: whoever } },
    },
    async (request) => shown(principalOf(request)),
  )

  app.delete(
    '/session',
    {
      config: { rule: { need: 'session', action: 'session.end', audit: 'write' } },
      schema: { summary: 'Sign out.', tags: ['session'], response: { 204: z.undefined() } },
    },
    async (request, reply) => {
      const secret = cookie.read(request)
      if (secret !== undefined) await accounts.endSession(secret)
      cookie.clear(reply)
      return reply.code(204).send()
    },
  )

  app.put(
    '/session/password',
    {
      config: { rule: { need: 'session', action: 'session.password', audit: 'own' } },
      schema: {
        summary: 'A new password. Every session ends, and this one begins anew.',
        tags: ['session'],
        body: z.strictObject({ current: password, password }),
        response: { 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const user = await accounts
        .checkPassword(principal.name, request.body.current, request.ip)
        .catch((error: unknown) => noteFailure(request, principal.name, 'session.password', notThePassword(error)))
      await note(request, user.name, 'session.password', 'attempted')
      await accounts.changePassword(user, request.body.password)
      await note(request, user.name, 'session.password', 'done')
      await enter(user, request, (secret) => cookie.set(reply, secret))
      return reply.code(204).send()
    },
  )

  async function enter(user: User, request: FastifyRequest, give: (secret: string) => void): Promise<Principal> {
    const secret = await accounts.beginSession(user, request.ip)
    give(secret)
    const principal = await accounts.bySession(secret, 'use')
    if (!principal) throw new RedriveError('not-signed-in', 'The account was changed at this moment. Sign in again.')
    return principal
  }
}

/** Whoever is signed in is not signed out by a slip of the finger. */
function notThePassword(error: unknown): unknown {
  return hasCode(error, 'not-signed-in') ? new RedriveError('not-allowed', 'The current password is another one.') : error
}

function shown({ name: who, role, by, rights, scopes }: Principal): z.output<typeof whoever> {
  return { name: who, role, by: by.kind, rights: [...rights], sources: scopes.map((patterns) => [...patterns]) }
}
