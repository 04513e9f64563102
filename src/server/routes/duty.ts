import { z } from 'zod'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { time } from '../schemas.ts'

const duty = z.object({
  instance: z.string().describe('The control plane that answers.'),
  works: z.boolean().describe('Whether it collects, alerts and replays, or stands by.'),
  worker: z
    .object({ name: z.string(), since: time })
    .nullable()
    .describe('The one that works; null for some seconds after it was killed.'),
  instances: z
    .array(
      z.object({
        name: z.string(),
        release: z.string().describe('Its version of Redrive.'),
        knows: z.int().describe('The newest version of the tables that it knows.'),
        since: time,
      }),
    )
    .describe('Everybody who has the vault, the longest first. One that was killed is listed for up to a minute.'),
})

/** Several control planes may have one vault, and names of machines are for those who see everything. */
export function dutyRoutes(app: Api, context: Context): void {
  app.get(
    '/control-plane',
    {
      config: { rule: { need: 'metadata:read', action: 'control-plane.read', audit: 'metadata' } },
      schema: {
        summary: 'Whether this control plane works or stands by, and which one works.',
        tags: ['health'],
        response: { 200: duty },
      },
    },
    async (request) => {
      context.sight.requireAll(principalOf(request), 'Who works')
      const { instances, ...duty } = await context.duty()
      return { ...duty, instances: [...instances] }
    },
  )
}
