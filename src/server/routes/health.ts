import { z } from 'zod'
import type { Api, Context } from '../api.ts'
import type { RouteRule } from '../route-rule.ts'

const rule: RouteRule = { need: 'nothing', action: 'health.read', audit: 'metadata' }
const answer = z.object({ status: z.enum(['ok', 'unavailable']) })

/** For machines that watch. They say nothing that a stranger could use: no names, no numbers, no versions. */
export function healthRoutes(app: Api, { vault }: Context): void {
  app.get(
    '/healthz',
    { config: { rule }, schema: { summary: 'The process lives.', tags: ['health'], security: [], response: { 200: answer } } },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config: { rule },
      schema: { summary: 'The vault answers.', tags: ['health'], security: [], response: { 200: answer, 503: answer } },
    },
    async (_request, reply) => {
      try {
        await vault.read('listReplays', { limit: 1 })
        return { status: 'ok' as const }
      } catch {
        return reply.code(503).send({ status: 'unavailable' as const })
      }
    },
  )
}
