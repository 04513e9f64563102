import { z } from 'zod'
import { standingOfLetter } from '../../vault/standing.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { cursorOf, idPosition, pageFields, positionOf } from '../cursor.ts'
import { etag } from '../etag.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, idParams, showLetter, shownDestination, shownLetter, shownNote, time } from '../schemas.ts'

const rule: RouteRule = { need: 'metadata:read', action: 'letters.read', audit: 'metadata' }

const query = z.object({ ...pageFields(), filter: z.string().max(2000).optional() })

const detail = z.object({
  letter: shownLetter,
  failedRuns: z.array(z.object({ attempt: count, at: time, errorType: z.string(), description: z.string() })),
  source: z.object({ id: z.int(), connection: z.string(), channel: z.string(), part: z.string(), group: z.string() }),
  cause: z.object({ id: z.int(), fingerprint: z.string(), title: z.string(), state: z.string(), owner: z.string().nullable() }),
  notes: z.array(shownNote),
  edits: z.array(z.object({ id: z.int(), madeAt: time, actor: z.string() })),
  replays: z.array(
    z.object({
      replay: z.int(),
      seq: z.int(),
      state: z.string(),
      destination: shownDestination,
      at: time,
      sentAt: time.nullable(),
      problem: z.string().nullable(),
    }),
  ),
})

/** Letters as lists and pages show them: what is known about them, and nothing of what they hold. */
export function letterRoutes(app: Api, { controlPlane, sight, hashKey }: Context): void {
  app.get(
    '/letters',
    {
      config: { rule },
      schema: {
        summary: 'Letters, the newest first. `next` says whether there are more.',
        tags: ['letters'],
        querystring: query,
        response: { 200: z.object({ letters: z.array(shownLetter), next: z.string().optional() }) },
      },
    },
    async (request) => {
      const { filter, limit, cursor } = request.query
      const before = positionOf(cursor, idPosition)
      const page = await sight.find(principalOf(request), {
        limit,
        ...(filter !== undefined && { filter }),
        ...(before !== undefined && { before }),
      })
      return {
        letters: page.letters.map((letter) => showLetter(letter, hashKey)),
        ...(page.next !== undefined && { next: cursorOf(page.next) }),
      }
    },
  )

  app.get(
    '/letters/count',
    {
      config: { rule },
      schema: {
        summary: 'How many letters a filter means, before something is done to all of them. Beyond 100,000 it says "at least".',
        tags: ['letters'],
        querystring: z.object({ filter: z.string().max(2000).default('') }),
        response: {
          200: z.object({
            letters: count,
            isAtLeast: z.boolean(),
            before: z.int().describe('Given back in a selection by this filter, it keeps out what came since.'),
          }),
        },
      },
    },
    async (request) => sight.count(principalOf(request), request.query.filter),
  )

  app.get(
    '/letters/:id',
    {
      config: { rule },
      schema: { summary: 'One letter, with its history.', tags: ['letters'], params: idParams, response: { 200: detail } },
    },
    async (request, reply) => {
      const { letter, edits, ...rest } = await sight.letter(principalOf(request), request.params.id)
      const failedRuns = await controlPlane.letters.failedRuns(letter.id)
      void reply.header('etag', etag(standingOfLetter(letter, edits.at(-1)?.id)))
      return {
        ...rest,
        letter: showLetter(letter, hashKey),
        failedRuns: [...failedRuns],
        notes: [...rest.notes],
        edits: [...edits],
        replays: [...rest.replays],
      }
    },
  )
}
