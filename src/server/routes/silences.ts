import { z } from 'zod'
import { type Matcher, mayConcern } from '../../core/alerts/matcher.ts'
import { addressOf, queueOf } from '../../ops/source.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import type { Principal } from '../principal.ts'
import type { RouteRule } from '../route-rule.ts'
import { idParams, time } from '../schemas.ts'
import { matcher, shownSilence } from '../shown-alerts.ts'

const managing = (action: string, noted: readonly string[]): RouteRule => ({
  need: 'alerts:manage',
  action,
  audit: 'write',
  noted,
})

/** A silence may cover any source, so only who was given all of them makes one. */
export function silenceRoutes(app: Api, { controlPlane, sight, vault }: Context): void {
  const { alerts } = controlPlane

  function whoever(request: Parameters<typeof principalOf>[0]): string {
    const principal = principalOf(request)
    sight.requireAll(principal, 'A silence')
    return principal.name
  }

  app.get(
    '/silences',
    {
      config: { rule: { need: 'metadata:read', action: 'silences.read', audit: 'metadata' } },
      schema: {
        summary: 'Silences that have not ended and may concern sources of yours.',
        tags: ['alerts'],
        response: { 200: z.object({ silences: z.array(shownSilence) }) },
      },
    },
    async (request) => {
      const concern = await concerns(principalOf(request))
      return { silences: (await alerts.silences()).filter(({ matchers }) => concern(matchers)) }
    },
  )

  /** What mutes only sources of others names them. */
  async function concerns(principal: Principal): Promise<(matchers: readonly Matcher[]) => boolean> {
    if (principal.seesAll) return () => true
    const theirs = (await vault.read('listSources', undefined)).filter((source) => principal.sees(source))
    const queues = theirs.map((source) => ({ source: source.connection, queue: queueOf(addressOf(source)) }))
    return (matchers) => queues.some((queue) => mayConcern(matchers, queue))
  }

  app.post(
    '/silences',
    {
      config: { rule: managing('silences.make', ['matchers', 'reason', 'startsAt', 'endsAt', 'evenProtected']) },
      schema: {
        summary: 'Tells nobody about some alerts for a time, at most seven days. The alerts go on as before.',
        tags: ['alerts'],
        body: z.strictObject({
          matchers: z.array(matcher).min(1).max(20),
          reason: z.string().min(1).max(500),
          startsAt: time.optional(),
          endsAt: time,
          evenProtected: z
            .boolean()
            .default(false)
            .describe('Also letters that cannot be written, and a disk that is nearly full.'),
        }),
        response: { 201: shownSilence },
      },
    },
    async (request, reply) => {
      const { startsAt, ...silence } = request.body
      const made = await alerts.silence({ ...silence, ...(startsAt !== undefined && { startsAt }), actor: whoever(request) })
      return reply.code(201).send(made)
    },
  )

  app.post(
    '/silences/:id/extend',
    {
      config: { rule: managing('silences.extend', ['endsAt']) },
      schema: {
        summary: 'Another end, at most seven days from now.',
        tags: ['alerts'],
        params: idParams,
        body: z.strictObject({ endsAt: time }),
        response: { 200: shownSilence },
      },
    },
    async (request) => alerts.extendSilence(request.params.id, { endsAt: request.body.endsAt, actor: whoever(request) }),
  )

  app.post(
    '/silences/:id/end',
    {
      config: { rule: managing('silences.end', []) },
      schema: { summary: 'Ends it now.', tags: ['alerts'], params: idParams, response: { 200: shownSilence } },
    },
    async (request) => alerts.endSilence(request.params.id, { actor: whoever(request) }),
  )
}
