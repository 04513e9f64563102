import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { createDoor } from '../door.ts'
import { addressForBrowsers } from '../origin.ts'
import type { Principal } from '../principal.ts'

const name = z.string().min(1).max(64)
/** Longer than any that is taken: what is too long is said by the rule for passwords, not by the schema. */
const password = z.string().min(1).max(1024)

const whoever = z.object({
  name: z.string(),
  role: z.string(),
  by: z.enum(['session', 'token']),
  issuer: z
    .string()
    .nullable()
    .describe('The OpenID issuer who knows this person; null for a user of our own, who has a password.'),
  rights: z.array(z.string()),
  sources: z.array(z.array(z.string())).describe('Every list has to match.'),
})

/** Coming in and going out. These routes write the audit trail by themselves: only here it is known who somebody turned out to be. */
export function sessionRoutes(app: Api, context: Context): void {
  const { accounts, cookie, oidc, home } = context
  const door = createDoor(context)

  /** That the issuer does not answer keeps nobody signed in here. */
  async function signOutUrl({ headers }: FastifyRequest): Promise<string | undefined> {
    try {
      return await oidc?.issuer.signOutUrl(`${addressForBrowsers(headers.host, home)}/`)
    } catch (error) {
      if (error instanceof RedriveError) return undefined
      throw error
    }
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
        .catch((error: unknown) => door.noteFailure(request, body.name, 'session.begin', error))
      await door.note(request, user.name, 'session.begin', 'done')
      return shown(await door.enter(user, request, reply))
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
    async (request, reply) => shown(await door.redeem(request.body, request, reply)),
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
      schema: {
        summary:
          'Sign out. Whoever signed in with OpenID Connect is told where they sign out there, where the issuer has such a place.',
        tags: ['session'],
        response: { 200: z.object({ signOutAt: z.string() }), 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const secret = cookie.read(request)
      if (secret !== undefined) await accounts.endSession(secret)
      cookie.clear(reply)
      const signOutAt = principalOf(request).issuer === null ? undefined : await signOutUrl(request)
      return signOutAt === undefined ? reply.code(204).send() : { signOutAt }
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
        .catch((error: unknown) => door.noteFailure(request, principal.name, 'session.password', notThePassword(error)))
      await door.note(request, user.name, 'session.password', 'attempted')
      await accounts.changePassword(user, request.body.password).catch(async (error: unknown) => {
        await door.note(request, user.name, 'session.password', 'failed')
        throw error
      })
      await door.note(request, user.name, 'session.password', 'done')
      await door.enter(user, request, reply)
      return reply.code(204).send()
    },
  )
}

/** Whoever is signed in is not signed out by a slip of the finger. */
function notThePassword(error: unknown): unknown {
  return hasCode(error, 'not-signed-in') ? new RedriveError('not-allowed', 'The current password is another one.') : error
}

function shown({ name: who, role, by, issuer, rights, scopes }: Principal): z.output<typeof whoever> {
  return { name: who, role, by: by.kind, issuer, rights: [...rights], sources: scopes.map((patterns) => [...patterns]) }
}
