import { z } from 'zod'
import type { Delivery } from '../../vault/operations/deliveries.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { cursorOf, idPosition, pageFields, positionOf } from '../cursor.ts'
import { count, idParams, time } from '../schemas.ts'

const states = ['waiting', 'sent', 'collapsed', 'dead'] as const

const delivery = z.object({
  id: z.int(),
  sink: z.string(),
  state: z.enum(states),
  stateSince: time,
  madeAt: time,
  attempts: count,
  nextAt: time,
  failingSince: time.nullable(),
  problem: z.string().nullable(),
  reason: z.string(),
  status: z.enum(['firing', 'resolved']),
  severity: z.string(),
  subject: z.string(),
})

type ShownDelivery = z.infer<typeof delivery>

function shown({ notification, groupKey: _, ...row }: Delivery): ShownDelivery {
  const { reason, status, severity, subject } = notification
  return { ...row, reason, status, severity, subject }
}

/** What people were told, and what did not reach them. It concerns all sources. */
export function deliveryRoutes(app: Api, { controlPlane, sight }: Context): void {
  const { alerts } = controlPlane

  app.get(
    '/deliveries',
    {
      config: { rule: { need: 'metadata:read', action: 'deliveries.read', audit: 'metadata' } },
      schema: {
        summary: 'Notifications by sink, the newest first. A dead one was given up.',
        tags: ['alerts'],
        querystring: z.object({ ...pageFields(), state: z.enum(states).optional(), sink: z.string().max(100).optional() }),
        response: { 200: z.object({ deliveries: z.array(delivery), next: z.string().optional() }) },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'What people were told')
      const { limit, cursor, state, sink } = request.query
      const before = positionOf(cursor, idPosition)
      const found = await alerts.deliveries({
        limit: limit + 1,
        ...(state && { state }),
        ...(sink !== undefined && { sink }),
        ...(before !== undefined && { before }),
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return { deliveries: page.map(shown), ...(found.length > limit && last && { next: cursorOf(last.id) }) }
    },
  )

  app.post(
    '/deliveries/:id/redeliver',
    {
      config: { rule: { need: 'alerts:manage', action: 'deliveries.redeliver', audit: 'write' } },
      schema: {
        summary: 'Tries a dead one once more.',
        tags: ['alerts'],
        params: idParams,
        response: { 200: delivery },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      sight.requireAll(principal, 'What people are told')
      return shown(await alerts.redeliver(request.params.id, { actor: principal.name }))
    },
  )
}
