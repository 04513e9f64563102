import { z } from 'zod'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { count } from '../schemas.ts'

const hourLength = 3_600_000
const mostHours = 24 * 7

/** What came and what went. It is counted over all sources, and shown to those who were given all of them. */
export function flowRoutes(app: Api, { vault, sight, clock }: Context): void {
  app.get(
    '/flow',
    {
      config: { rule: { need: 'metadata:read', action: 'flow.read', audit: 'metadata' } },
      schema: {
        summary:
          'Letters that came and letters that were settled, hour by hour, up to a week back. Hours in which nothing happened are left out.',
        tags: ['sources'],
        querystring: z.object({ hours: z.coerce.number().int().min(1).max(mostHours).default(24) }),
        response: {
          200: z.object({
            hours: z.array(z.object({ hour: z.int().describe('Hours since 1970.'), arrived: count, settled: count })),
            now: z.int().describe('The hour in which this was counted.'),
          }),
        },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'What came and went')
      const now = Math.floor(clock.now() / hourLength)
      const since = (now - request.query.hours + 1) * hourLength
      return { hours: [...(await vault.read('readFlow', { since }))], now }
    },
  )
}
