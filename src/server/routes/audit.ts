import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import type { Api, Context } from '../api.ts'
import { cursorOf, idPosition, pageQuery, positionOf } from '../cursor.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, time } from '../schemas.ts'

const rule: RouteRule = { need: 'audit:read', action: 'audit.read', audit: 'metadata' }

const row = z.object({
  seq: z.int(),
  at: time,
  actor: z.string(),
  address: z.string(),
  action: z.string(),
  object: z.string(),
  detail: z.record(z.string(), z.unknown()),
  result: z.enum(['attempted', 'done', 'failed', 'denied']),
  hash: z.string(),
})

const verdict = z.object({
  rows: count,
  head: z.string(),
  bad: z.object({ seq: z.int(), because: z.enum(['changed', 'missing', 'not-the-one-expected']) }).optional(),
})

export function auditRoutes(app: Api, { vault }: Context): void {
  app.get(
    '/audit',
    {
      config: { rule },
      schema: {
        summary: 'Who did what, the newest first.',
        tags: ['audit'],
        querystring: pageQuery,
        response: { 200: z.object({ rows: z.array(row), next: z.string().optional() }) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      const before = positionOf(cursor, idPosition)
      const rows = await vault.read('listAudit', { limit, ...(before !== undefined && { before }) })
      const last = rows.at(-1)
      return {
        rows: rows.map(({ detail, ...entry }) => ({ ...entry, detail: JSON.parse(detail) as Record<string, unknown> })),
        ...(rows.length === limit && last && { next: cursorOf(last.seq) }),
      }
    },
  )

  app.get(
    '/audit/verification',
    {
      config: { rule: { ...rule, action: 'audit.verify' } },
      schema: {
        summary: 'Recomputes the chain. With `seq` and `hash`, also compares that row with what somebody kept elsewhere.',
        tags: ['audit'],
        querystring: z.object({
          seq: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
          hash: z
            .string()
            .regex(/^[0-9a-f]{64}$/)
            .optional(),
        }),
        response: { 200: verdict },
      },
    },
    async (request) => {
      const { seq, hash } = request.query
      if ((seq === undefined) !== (hash === undefined)) throw new RedriveError('bad-request', 'seq and hash belong together.')
      return vault.read('verifyAudit', seq === undefined || hash === undefined ? {} : { expected: { seq, hash } })
    },
  )
}
