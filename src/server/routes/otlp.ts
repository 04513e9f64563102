import { z } from 'zod'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { time } from '../schemas.ts'

const collector = z.object({
  target: z.string().describe('The host; never a path or a token.'),
  lastSentAt: time.nullable(),
  failingSince: time.nullable().describe('Since when nothing arrives; null while all is well.'),
  problem: z.string().nullable().describe('Why. Nothing of what the collector answered.'),
})

/** Whether the collector of OpenTelemetry is told what is counted. It concerns all sources. */
export function otlpRoutes(app: Api, { otlp, sight }: Context): void {
  app.get(
    '/otlp',
    {
      config: { rule: { need: 'metadata:read', action: 'otlp.read', audit: 'metadata' } },
      schema: {
        summary: 'Whether the collector of OpenTelemetry is told what is counted.',
        tags: ['health'],
        response: { 200: z.object({ collector: collector.nullable() }) },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'Who is told')
      return { collector: otlp?.health ?? null }
    },
  )
}
