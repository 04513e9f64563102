import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import type { KnownCause } from '../../vault/operations/causes.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { cursorOf, pageFields, positionOf } from '../cursor.ts'
import { allowMatch, etag } from '../etag.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, idParams, noteBody, shownNote, time } from '../schemas.ts'

const states = ['open', 'acknowledged', 'resolved', 'archived'] as const

const reading: RouteRule = { need: 'metadata:read', action: 'causes.read', audit: 'metadata' }
const judging: RouteRule = { need: 'causes:judge', action: 'causes.judge', audit: 'write', noted: ['state', 'fixedIn'] }

type ShownCause = Omit<KnownCause, 'parts'>

const cause: z.ZodType<ShownCause> = z.object({
  id: z.int(),
  fingerprint: z.string(),
  title: z.string(),
  state: z.enum(states),
  stateSince: time,
  fixedIn: z.string().nullable(),
  regressedAt: time.nullable(),
  owner: z.string().nullable(),
  firstAt: time,
  lastAt: time,
  lastVersion: z.string().nullable(),
  total: count,
  unresolved: count,
})

const position = z.object({ lastAt: z.int(), id: z.int() })

function etagOfCause({ state, stateSince, owner }: KnownCause): string {
  return etag(state, stateSince, Buffer.from(owner ?? '').toString('hex'))
}

/**
 * Causes gather the letters of all sources. Whoever was given some of them sees the causes of their letters, with the counts of all, and judges
 * none: that would speak for others.
 */
export function causeRoutes(app: Api, { controlPlane, sight }: Context): void {
  const { causes } = controlPlane

  app.get(
    '/causes',
    {
      config: { rule: reading },
      schema: {
        summary: 'Causes, those with the newest letters first.',
        tags: ['causes'],
        querystring: z.object({ ...pageFields(), state: z.enum(states).optional() }),
        response: { 200: z.object({ causes: z.array(cause), next: z.string().optional() }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { limit, cursor, state } = request.query
      const after = positionOf(cursor, position)
      const page = await causes.list({ limit, ...(state && { state }), ...(after && { after }) })
      const shown: KnownCause[] = []
      for (const known of page.causes) if (await sight.seesCause(principal, known.fingerprint)) shown.push(known)
      return { causes: shown, ...(page.next && { next: cursorOf(page.next) }) }
    },
  )

  app.get(
    '/causes/:id',
    {
      config: { rule: reading },
      schema: {
        summary: 'One cause, with its notes and the letters of each hour of the last week.',
        tags: ['causes'],
        params: idParams,
        response: {
          200: z.object({
            cause,
            notes: z.array(shownNote),
            history: z.array(z.object({ hour: z.int(), letters: count })),
          }),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const detail = await causes.show(id)
      if (!(await sight.seesCause(principalOf(request), detail.cause.fingerprint))) {
        throw new RedriveError('not-allowed', `Cause ${id} has no letters of the sources that you were given.`)
      }
      void reply.header('etag', etagOfCause(detail.cause))
      return { cause: detail.cause, notes: [...detail.notes], history: [...detail.history] }
    },
  )

  app.put(
    '/causes/:id/judgement',
    {
      config: { rule: judging },
      schema: {
        summary: 'What somebody says about a cause: seen, mended (from a version on), or not to be heard of until it gets worse.',
        tags: ['causes'],
        params: idParams,
        body: z.strictObject({ state: z.enum(states), fixedIn: z.string().min(1).max(100).optional() }),
        response: { 200: cause },
      },
    },
    async (request) => {
      const { id } = request.params
      const { state, fixedIn } = request.body
      const actor = await judge(request, id)
      return causes.judge(id, { state, actor, ...(fixedIn !== undefined && { fixedIn }) })
    },
  )

  app.put(
    '/causes/:id/owner',
    {
      config: { rule: { ...judging, action: 'causes.own', noted: ['owner'] } },
      schema: {
        summary: 'Who looks after it.',
        tags: ['causes'],
        params: idParams,
        body: z.strictObject({ owner: z.string().min(1).max(100).nullable() }),
        response: { 200: cause },
      },
    },
    async (request) => {
      const { id } = request.params
      const actor = await judge(request, id)
      return causes.own(id, { owner: request.body.owner, actor })
    },
  )

  app.post(
    '/causes/:id/notes',
    {
      config: { rule: { ...judging, action: 'causes.note', noted: [] } },
      schema: {
        summary: 'What somebody found out.',
        tags: ['causes'],
        params: idParams,
        body: noteBody,
        response: { 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await causes.note(id, request.body.text, { actor: await judge(request, id) })
      return reply.code(204).send()
    },
  )

  async function judge(request: Parameters<typeof principalOf>[0] & IfMatch, id: number): Promise<string> {
    const principal = principalOf(request)
    sight.requireAll(principal, 'Judging a cause')
    allowMatch(request.headers['if-match'], etagOfCause((await causes.show(id)).cause))
    return principal.name
  }
}

interface IfMatch {
  readonly headers: { readonly 'if-match'?: string | undefined }
}
