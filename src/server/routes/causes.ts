import { z } from 'zod'
import { ruleFields } from '../../core/cause-routes.ts'
import { RedriveError } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import type { By, CauseDetail } from '../../ops/control-plane.ts'
import type { KnownCause } from '../../vault/operations/causes.ts'
import { type AsSeen, standingOfCause } from '../../vault/standing.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { cursorOf, pageFields, positionOf } from '../cursor.ts'
import { etag, seenIn } from '../etag.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, idParams, noteBody, shownNote, time } from '../schemas.ts'
import { seenPart } from '../seen-part.ts'

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
  mergedInto: z.int().nullable().describe('The cause that it stands under, with all numbers; its own are shown here then.'),
  parts,
})

const decision = z.object({
  id: z.int(),
  kind: z.enum(['merge', 'split']),
  cause: z.int().describe('Merge: stands under `target` from then on. Split: whose letters were taken.'),
  causeTitle: z.string(),
  target: z.int(),
  targetTitle: z.string(),
  rule: z.string().nullable().describe('Split: which letters are meant, in the words of filters.'),
  madeAt: time,
  actor: z.string(),
  reason: z.string(),
  undoneAt: time.nullable(),
  undoneBy: z.string().nullable(),
  undoneBecause: z.string().nullable(),
  isMoving: z.boolean().describe('Letters are still being moved to where it says.'),
})

const detail = z.object({
  cause,
  notes: z.array(shownNote.and(z.object({ cause: z.int().describe('The cause that it was written on.') }))),
  members: z
    .array(z.object({ id: z.int(), fingerprint: z.string(), title: z.string(), total: count, unresolved: count }))
    .describe('What was merged into it.'),
  decisions: z.array(decision).describe('What was said about it and what stands under it, the newest first.'),
  history: hours,
})

const reason = z.string().min(1).max(500).describe('Why. It stands beside the decision, and in the audit trail.')

const listedCause = cause.extend({
  recent: hours.describe('The letters of each hour of the last day.'),
  matching: count.optional().describe('How many of its letters match the filter.'),
})

const position = z.object({ lastAt: z.int(), id: z.int() })

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
        summary: 'One cause, with its notes, what stands under it and why, and the letters of each hour of the last week.',
        tags: ['causes'],
        params: idParams,
        response: {
          200: detail,
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const principal = principalOf(request)
      const found = await causes.show(id)
      if (!(await sight.seesCause(principal, found.cause.fingerprint))) {
        throw new RedriveError('not-allowed', `Cause ${id} has no letters of the sources that you were given.`)
      }
      void reply.header('etag', etag(standingOfCause(found.cause)))
      const { sources } = await sight.within(principal)
      return shownDetail(sources ? await seenPart(found, sources, vault) : found)
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
      return shownCause(await causes.judge(id, { state, ...judge(request), ...present({ fixedIn }) }))
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
      return shownCause(await causes.own(id, { owner: request.body.owner, ...judge(request) }))
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
      await causes.note(id, request.body.text, judge(request))
      return reply.code(204).send()
    },
  )

  app.post(
    '/causes/:id/merge',
    {
      config: { rule: { ...judging, action: 'causes.merge', noted: ['causes', 'reason'] } },
      schema: {
        summary: 'Says that other causes are this one. Their letters stand under it from now on, and those that come.',
        tags: ['causes'],
        params: idParams,
        body: z.strictObject({ causes: z.array(z.int().min(1)).min(1).max(100), reason }),
        response: { 200: detail },
      },
    },
    async (request) => {
      const { id } = request.params
      return shownDetail(await causes.merge(id, { ...request.body, ...judge(request, 'Merging causes') }))
    },
  )

  app.post(
    '/causes/:id/split',
    {
      config: { rule: { ...judging, action: 'causes.split', noted: ['rule', 'title', 'reason'] } },
      schema: {
        summary: 'Says that what a rule means among its own letters is another cause, and shows that one.',
        tags: ['causes'],
        params: idParams,
        body: z.strictObject({
          rule: z.string().min(1).max(2000).describe(`In the words of filters: ${ruleFields}.`),
          title: z.string().min(1).max(300).optional(),
          reason,
        }),
        response: { 200: detail },
      },
    },
    async (request) => {
      const { id } = request.params
      const { rule, title, reason: why } = request.body
      sight.refusePeeking(principalOf(request), rule)
      const by = judge(request, 'Splitting a cause')
      return shownDetail(await causes.split(id, { rule, reason: why, ...by, ...present({ title }) }))
    },
  )

  app.get(
    '/cause-decisions/:id',
    {
      config: { rule: { ...reading, action: 'causes.read-decision' } },
      schema: {
        summary: 'What somebody said about which causes are one, or two.',
        tags: ['causes'],
        params: idParams,
        response: { 200: decision },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'A decision about causes')
      return causes.decision(request.params.id)
    },
  )

  app.post(
    '/cause-decisions/:id/undo',
    {
      config: { rule: { need: 'causes:judge', action: 'causes.undo', audit: 'write', noted: ['reason'] } },
      schema: {
        summary:
          'Takes a merge or a split back. Letters stand where all that is still said puts them, also those that came since.',
        tags: ['causes'],
        params: idParams,
        body: z.strictObject({ reason }),
        response: { 200: detail },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      sight.requireAll(principal, 'Undoing what was said about causes')
      return shownDetail(await causes.undo(request.params.id, { ...request.body, actor: principal.name }))
    },
  )

  async function recentOf(
    shown: readonly KnownCause[],
  ): Promise<ReadonlyMap<number, { readonly hour: number; readonly letters: number }[]>> {
    const rows = await vault.read('causeHistories', { causes: shown.map(({ id }) => id), since: clock.now() - day })
    return Map.groupBy(rows, ({ cause: id }) => id)
  }

  /** Who does it, and how the cause was for them. */
  function judge(request: Parameters<typeof principalOf>[0] & IfMatch, what = 'Judging a cause'): By & AsSeen {
    const principal = principalOf(request)
    sight.requireAll(principal, what)
    return { actor: principal.name, ...present({ seen: seenIn(request.headers['if-match']) }) }
  }
}

/** Lists are copied: what is known is not to be changed, and a schema gives what may be. */
function shownCause({ parts: known, ...rest }: KnownCause): z.output<typeof cause> {
  return { ...rest, parts: { ...known, groupedBy: [...known.groupedBy], replaced: known.replaced.map((each) => ({ ...each })) } }
}

function shownDetail({ cause: known, notes, members, decisions, history }: CauseDetail): z.output<typeof detail> {
  return {
    cause: shownCause(known),
    notes: [...notes],
    members: [...members],
    decisions: [...decisions],
    history: [...history],
  }
}

interface IfMatch {
  readonly headers: { readonly 'if-match'?: string | undefined }
}
