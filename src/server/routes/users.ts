import { z } from 'zod'
import { refusePartialAdmin, userNames } from '../../ops/access/grants.ts'
import type { User } from '../../vault/operations/accounts.ts'
import { refuseUnseen } from '../../vault/standing.ts'
import type { Api, Context } from '../api.ts'
import { etag, requireSeen } from '../etag.ts'
import { grantChanges, grantFields } from '../grants.ts'
import type { RouteRule } from '../route-rule.ts'
import { idParams, time } from '../schemas.ts'
import { setupPath } from '../secrets.ts'

const reading: RouteRule = { need: 'users:manage', action: 'users.read', audit: 'metadata' }
const changing: RouteRule = {
  need: 'users:manage',
  action: 'users.change',
  audit: 'write',
  noted: ['name', 'role', 'sources', 'reveal', 'disabled'],
}

const user: z.ZodType<User> = z.object({
  id: z.int(),
  name: z.string(),
  role: z.string(),
  sources: z.array(z.string()),
  reveal: z.boolean(),
  disabled: z.boolean(),
  hasPassword: z.boolean(),
  issuer: z
    .string()
    .nullable()
    .describe('The OpenID issuer who knows them and says what they may do; null for users of our own.'),
  madeAt: time,
  version: z.int(),
})

const withLink = z.object({ user, link: z.string().describe('The path of a page where the user sets a password, once.') })

function etagOfUser({ version }: User): string {
  return etag(version)
}

/** Admins give people rights, and never know their passwords: each sets their own by a link that works once. */
export function userRoutes(app: Api, { vault, accounts, clock }: Context): void {
  app.get(
    '/users',
    {
      config: { rule: reading },
      schema: { summary: 'Everybody.', tags: ['users'], response: { 200: z.object({ users: z.array(user) }) } },
    },
    async () => ({ users: [...(await vault.read('listUsers', undefined))] }),
  )

  app.get(
    '/users/:id',
    {
      config: { rule: reading },
      schema: { summary: 'One user.', tags: ['users'], params: idParams, response: { 200: user } },
    },
    async (request, reply) => {
      const found = await vault.read('showUser', { id: request.params.id })
      void reply.header('etag', etagOfUser(found))
      return found
    },
  )

  app.post(
    '/users',
    {
      config: { rule: { ...changing, action: 'users.create', answersSecret: true } },
      schema: {
        summary: 'A new user, with a link by which they set their password within the hour.',
        tags: ['users'],
        body: z.strictObject({
          name: z.string().regex(userNames.form, userNames.told),
          ...grantFields(),
        }),
        response: { 201: withLink },
      },
    },
    async (request, reply) => {
      refusePartialAdmin(request.body)
      const created = await vault.write('createUser', { ...request.body, now: clock.now() })
      return reply.code(201).send({ user: created, link: setupPath(await accounts.issueLink(created.id)) })
    },
  )

  app.patch(
    '/users/:id',
    {
      config: { rule: { ...changing, ifMatch: 'needed' } },
      schema: {
        summary: 'Other rights, or none. Whoever is signed in as this user is signed out. Needs If-Match.',
        tags: ['users'],
        params: idParams,
        body: z.strictObject({ ...grantChanges(), disabled: z.boolean().optional() }),
        response: { 200: user },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const before = await vault.read('showUser', { id })
      refuseUnseen(requireSeen(request.headers['if-match']), String(before.version))
      const change = Object.fromEntries(Object.entries(request.body).filter(([, value]) => value !== undefined))
      refusePartialAdmin({ ...before, ...change })
      const changed = await vault.write('changeUser', { id, version: before.version, ...change })
      void reply.header('etag', etagOfUser(changed))
      return changed
    },
  )

  app.post(
    '/users/:id/link',
    {
      config: { rule: { ...changing, action: 'users.link', answersSecret: true } },
      schema: {
        summary: 'A new link, for somebody who lost the password or the link.',
        tags: ['users'],
        params: idParams,
        response: { 201: withLink },
      },
    },
    async (request, reply) => {
      const found = await vault.read('showUser', { id: request.params.id })
      return reply.code(201).send({ user: found, link: setupPath(await accounts.issueLink(found.id)) })
    },
  )
}
