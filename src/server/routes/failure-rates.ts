import { z } from 'zod'
import { failureRates } from '../../ops/alerts/failure-rates.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { count, time } from '../schemas.ts'

const hourLength = 3_600_000
const mostHours = 24 * 7
/** As many as a picture has room for. */
const steps = 96

const channel = z.object({
  service: z.string(),
  channel: z.string(),
  group: z.string().nullable(),
  steps: z.array(z.object({ at: time, handled: count, deadLettered: count })),
})

/** What consumers report is added up over all sources, and shown to those who were given all of them. */
export function failureRateRoutes(app: Api, { vault, sight, clock }: Context): void {
  app.get(
    '/failure-rates',
    {
      config: { rule: { need: 'metadata:read', action: 'failure-rates.read', audit: 'metadata' } },
      schema: {
        summary:
          'What consumers took and what they dead-lettered, step by step, up to a week back: what rules about ratios compare.',
        tags: ['consumers'],
        querystring: z.object({ hours: z.coerce.number().int().min(1).max(mostHours).default(24) }),
        response: {
          200: z.object({ now: time, step: z.int().describe('Milliseconds.'), channels: z.array(channel) }),
        },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'What consumers took and gave up')
      const now = clock.now()
      const length = request.query.hours * hourLength
      const { step, channels } = await failureRates(vault, clock, { since: now - length, step: length / steps })
      return { now, step, channels: channels.map((each) => ({ ...each, steps: [...each.steps] })) }
    },
  )
}
