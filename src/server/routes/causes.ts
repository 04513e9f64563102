import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import type { KnownCause } from '../../vault/operations/causes.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { cursorOf, pageFields, positionOf } from '../cursor.ts'
import { allowMatch, etag } from '../etag.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, idParams, noteBody, shownNote, time } from '../schemas.ts'

const day = 24 * 3_600_000

const states = ['open', 'acknowledged', 'resolved', 'archived'] as const

const reading: RouteRule = { need: 'metadata:read', action: 'causes.read', audit: 'metadata' }
const judging: RouteRule = {
  need: 'causes:judge',
  action: 'causes.judge',
  audit: 'write',
  noted: ['state', 'fixedIn'],
  ifMatch: 'taken',
}

/** Why letters are one cause. All of it has been through the sanitiser. */
const parts = z.object({
  groupedBy: z.array(z.enum(['type', 'text', 'place', 'channel'])),
  type: z.string(),
  text: z.string(),
  replaced: z.array(z.object({ kind: z.string(), count })),
  place: z.object({ function: z.string(), module: z.string() }).optional(),
  channel: z.string(),
})

const hours = z.array(z.object({ hour: z.int().describe('Hours since 1970.'), letters: count }))

const cause = z.object({
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
  parts,
})

const listedCause = cause.extend({
  recent: hours.describe('The letters of each hour of the last day.'),
  matching: count.optional().describe('How many of its letters match the filter.'),
})

const position = z.object({ lastAt: z.int(), id: z.int() })

function etagOfCause({ state, stateSince, owner }: KnownCause): string {
  return etag(state, stateSince, Buffer.from(owner ?? '').toString('hex'))
}

/**
 * Causes gather the letters of all sources. Whoever was given some of them sees the causes of their letters, with the counts of all, and judges
 * none: that would speak for others.
 */
export function causeRoutes(app: Api, { controlPlane, sight, vault, clock }: Context): void {
  const { causes } = controlPlane

  app.get(
    '/causes',
    {
      config: { rule: reading },
      schema: {
        summary: 'Causes, those with the newest letters first. With a filter, those with letters that match.',
        tags: ['causes'],
        querystring: z.object({ ...pageFields(), state: z.enum(states).optional(), filter: z.string().max(2000).optional() }),
        response: {
          200: z.object({
            causes: z.array(listedCause),
            next: z.string().optional(),
            isPartial: z.boolean().optional().describe('More than 100,000 letters match, and not all were looked at.'),
          }),
        },
      },
    },
    async (request) => {
      const { limit, cursor, state, filter } = request.query
      const principal = principalOf(request)
      sight.refusePeeking(principal, filter)
      const after = positionOf(cursor, position)
      const which = { ...(state && { state }), ...(after && { after }), ...(await sight.within(principal)) }
      const page = await causes.list({ limit, ...which, ...(filter !== undefined && { filter }) })
      const recent = await recentOf(page.causes)
      return {
        causes: page.causes.map((known) => ({
          ...shownCause(known),
          recent: recent.get(known.id) ?? [],
          ...(known.matching !== undefined && { matching: known.matching }),
        })),
        ...(page.next && { next: cursorOf(page.next) }),
        ...(page.isPartial !== undefined && { isPartial: page.isPartial }),
      }
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
            history: hours,
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
      return { cause: shownCause(detail.cause), notes: [...detail.notes], history: [...detail.history] }
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
      return shownCause(await causes.judge(id, { state, actor, ...(fixedIn !== undefined && { fixedIn }) }))
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
      return shownCause(await causes.own(id, { owner: request.body.owner, actor }))
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

  async function recentOf(
    shown: readonly KnownCause[],
  ): Promise<ReadonlyMap<number, { readonly hour: number; readonly letters: number }[]>> {
    const rows = await vault.read('causeHistories', { causes: shown.map(({ id }) => id), since: clock.now() - day })
    return Map.groupBy(rows, ({ cause: id }) => id)
  }

  async function judge(request: Parameters<typeof principalOf>[0] & IfMatch, id: number): Promise<string> {
    const principal = principalOf(request)
    sight.requireAll(principal, 'Judging a cause')
    allowMatch(request.headers['if-match'], etagOfCause((await causes.show(id)).cause))
    return principal.name
  }
}

/** Lists are copied: what is known is not to be changed, and a schema gives what may be. */
function shownCause({ parts: known, ...rest }: KnownCause): z.output<typeof cause> {
  return { ...rest, parts: { ...known, groupedBy: [...known.groupedBy], replaced: known.replaced.map((each) => ({ ...each })) } }
}

interface IfMatch {
  readonly headers: { readonly 'if-match'?: string | undefined }
}
