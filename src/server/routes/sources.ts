import { z } from 'zod'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { count, time } from '../schemas.ts'

const source = z.object({
  id: z.int(),
  connection: z.string(),
  channel: z.string(),
  part: z.string(),
  mode: z.enum(['watch', 'follow', 'collect', 'not-configured']),
  onBroker: z
    .union([z.object({ letters: count, at: time }), z.object({ unknownSince: time, problem: z.string() })])
    .describe('A broker that cannot be asked is unknown, and never 0.'),
  unresolved: count,
  isAtLeast: z.boolean(),
  letters: z.record(z.string(), count).describe('Letters in the vault by state.'),
})

export function sourceRoutes(app: Api, { controlPlane }: Context): void {
  app.get(
    '/sources',
    {
      config: { rule: { need: 'metadata:read', action: 'sources.read', audit: 'metadata' } },
      schema: {
        summary: 'Every dead-letter channel, with what lies there and what lies in the vault.',
        tags: ['sources'],
        response: { 200: z.object({ sources: z.array(source) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const all = await controlPlane.sources()
      const sources = all
        .filter((status) => principal.sees(status.source))
        .map(({ source: { id, connection, channel, part, letters }, ...status }) => ({
          ...{ id, connection, channel, part, letters: { ...letters } },
          ...status,
        }))
      return { sources }
    },
  )
}
