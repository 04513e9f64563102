import { z } from 'zod'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { time } from '../schemas.ts'

const onDuty = z.object({ name: z.string(), since: time }).nullable()

const duty = z.object({
  instance: z.string().describe('The control plane that answers.'),
  works: z.boolean().describe('Whether it alerts, replays and keeps the vault tidy, or stands by.'),
  worker: onDuty.describe('The one that works; null for some seconds after it was killed.'),
  sources: z
    .array(
      z.object({
        connection: z.string(),
        channel: z.string(),
        part: z.string(),
        group: z.string(),
        collector: onDuty.describe('The one that collects it; null for some seconds after it was killed.'),
      }),
    )
    .readonly()
    .describe('Every source that is read, and by which of several control planes.'),
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
        summary: 'Whether this control plane works or stands by, which one works, and which one collects which source.',
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
