import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import { refusePartialAdmin } from '../../ops/access/grants.ts'
import type { KnownToken } from '../../vault/operations/tokens.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { grantFields } from '../grants.ts'
import { rightsOf } from '../rights.ts'
import { idParams, time } from '../schemas.ts'
import { drawToken, fingerprintOf } from '../secrets.ts'

const day = 24 * 60 * 60_000

const token: z.ZodType<KnownToken> = z.object({
  id: z.int(),
  user: z.int(),
  name: z.string(),
  last4: z.string(),
  role: z.string(),
  sources: z.array(z.string()),
  reveal: z.boolean(),
  madeAt: time,
  expiresAt: time,
  revokedAt: time.nullable(),
})

/** For programs. A token belongs to a person, and never may more than that person. Only people make them: a token that makes tokens never ends. */
export function tokenRoutes(app: Api, { vault, clock, draw }: Context): void {
  app.get(
    '/tokens',
    {
      config: { rule: { need: 'session', action: 'tokens.read', audit: 'metadata' } },
      schema: {
        summary: 'Your tokens; an admin sees those of everybody. Of each the last four characters.',
        tags: ['tokens'],
        response: { 200: z.object({ tokens: z.array(token) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const whose = principal.rights.has('users:manage') ? {} : { user: principal.user }
      return { tokens: [...(await vault.read('listTokens', whose))] }
    },
  )

  app.post(
    '/tokens',
    {
      config: {
        rule: {
          need: 'session',
          action: 'tokens.issue',
          audit: 'write',
          noted: ['name', 'role', 'sources', 'reveal', 'days'],
          answersSecret: true,
        },
      },
      schema: {
        summary: 'A new token. It is shown in this answer, and never again.',
        tags: ['tokens'],
        body: z.strictObject({
          name: z.string().min(1).max(100),
          ...grantFields(),
          days: z.int().min(1).max(366).default(90),
        }),
        response: { 201: z.object({ token, secret: z.string() }) },
      },
    },
    async (request, reply) => {
      const { user, rights } = principalOf(request)
      const { days, ...grant } = request.body
      refusePartialAdmin(grant)
      const missing = [...rightsOf(grant.role, grant.reveal)].find((right) => !rights.has(right))
      if (missing) throw new RedriveError('not-allowed', `A token cannot have the right ${missing}, which you do not have.`)
      const secret = drawToken(draw)
      const now = clock.now()
      const issued = await vault.write('issueToken', {
        ...grant,
        user,
        hash: fingerprintOf(secret),
        last4: secret.slice(-4),
        now,
        expiresAt: now + days * day,
      })
      return reply.code(201).send({ token: issued, secret })
    },
  )

  app.delete(
    '/tokens/:id',
    {
      config: { rule: { need: 'session', action: 'tokens.revoke', audit: 'write' } },
      schema: {
        summary: 'Revokes a token at once and for good.',
        tags: ['tokens'],
        params: idParams,
        response: { 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const whose = principal.rights.has('users:manage') ? {} : { user: principal.user }
      await vault.write('revokeToken', { id: request.params.id, ...whose, now: clock.now() })
      return reply.code(204).send()
    },
  )
}
