import { z } from 'zod'
import { createAlertSight } from '../alert-sight.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import type { RouteRule } from '../route-rule.ts'
import { time } from '../schemas.ts'
import { shownAlert } from '../shown-alerts.ts'

const reading: RouteRule = { need: 'metadata:read', action: 'alerts.read', audit: 'metadata' }
const managing = (action: string): RouteRule => ({ need: 'alerts:manage', action, audit: 'write', noted: ['until'] })

const params = z.object({ fingerprint: z.string().regex(/^[0-9a-f]{64}$/) })
const untilBody = z.strictObject({ until: time })

/** Alerts, and what people say about them. Whoever was given some sources sees the alerts about these. */
const mostAlerts = 1000

export function alertRoutes(app: Api, { controlPlane: { alerts, consumers }, vault }: Context): void {
  const { theirs, see, mark } = createAlertSight(consumers, vault)

  /** Who says something about it, if it is theirs to say. */
  async function actorFor(request: Parameters<typeof principalOf>[0], fingerprint: string): Promise<string> {
    const principal = principalOf(request)
    await mark(principal, await alerts.show(fingerprint))
    return principal.name
  }

  app.get(
    '/alerts',
    {
      config: { rule: reading },
      schema: {
        summary: 'Alerts, those that changed last first.',
        tags: ['alerts'],
        querystring: z.object({
          which: z.enum(['open', 'all']).default('open').describe('`open`: those that are not over.'),
          limit: z.coerce.number().int().min(1).max(mostAlerts).default(200),
        }),
        response: { 200: z.object({ alerts: z.array(shownAlert) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { which, limit } = request.query
      // Those of others must not take the places of theirs.
      const all = await alerts.list({ which, limit: principal.seesAll ? limit : mostAlerts })
      return { alerts: (await theirs(principal, all)).slice(0, limit) }
    },
  )

  app.get(
    '/alerts/:fingerprint',
    {
      config: { rule: reading },
      schema: { summary: 'One alert.', tags: ['alerts'], params, response: { 200: shownAlert } },
    },
    async (request) => {
      const alert = await alerts.show(request.params.fingerprint)
      await see(principalOf(request), alert)
      return alert
    },
  )

  for (const [verb, summary] of [
    ['acknowledge', 'Somebody is at it: not repeated until then, and still told when it is over.'],
    ['snooze', 'Nothing about it until then.'],
  ] as const) {
    app.post(
      `/alerts/:fingerprint/${verb}`,
      {
        config: { rule: managing(`alerts.${verb}`) },
        schema: { summary, tags: ['alerts'], params, body: untilBody, response: { 200: shownAlert } },
      },
      async (request) => {
        const { fingerprint } = request.params
        const actor = await actorFor(request, fingerprint)
        return alerts[verb](fingerprint, { until: request.body.until, actor })
      },
    )
  }

  for (const [verb, summary] of [
    ['unacknowledge', 'Nobody is at it any more.'],
    ['unsnooze', 'People are told about it again.'],
  ] as const) {
    app.post(
      `/alerts/:fingerprint/${verb}`,
      {
        config: { rule: managing(`alerts.${verb}`) },
        schema: { summary, tags: ['alerts'], params, response: { 200: shownAlert } },
      },
      async (request) => {
        const { fingerprint } = request.params
        const actor = await actorFor(request, fingerprint)
        return alerts[verb](fingerprint, { actor })
      },
    )
  }
}
