import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { count, time } from '../schemas.ts'

const notifier = z.object({
  name: z.string(),
  kind: z.string(),
  target: z.string().describe('The host; never a path, a key or a password.'),
  waiting: count,
  dead: count,
  failingSince: time.nullable(),
})

const outcome = z.object({
  sent: z.boolean(),
  problem: z.string().optional().describe('Why it did not arrive. Nothing of what the receiver answered.'),
})

/** Who is told about alerts. Names and hosts; their secrets stay in the configuration. It concerns all sources. */
export function notifierRoutes(app: Api, { notifiers, sight }: Context): void {
  app.get(
    '/notifiers',
    {
      config: { rule: { need: 'metadata:read', action: 'notifiers.read', audit: 'metadata' } },
      schema: {
        summary: 'Who is told about alerts, and what waits for each of them.',
        tags: ['alerts'],
        response: { 200: z.object({ notifiers: z.array(notifier) }) },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'Who is told')
      return { notifiers: [...((await notifiers?.list()) ?? [])] }
    },
  )

  app.post(
    '/notifiers/:name/test',
    {
      config: { rule: { need: 'alerts:manage', action: 'notifiers.test', audit: 'write' } },
      schema: {
        summary: 'Sends a test now, and says what became of it.',
        tags: ['alerts'],
        params: z.object({ name: z.string().min(1).max(100) }),
        response: { 200: outcome },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'Who is told')
      if (!notifiers) throw new RedriveError('not-found', 'There are no notifiers.')
      const result = await notifiers.test(request.params.name)
      return result.kind === 'sent' ? { sent: true } : { sent: false, problem: result.why }
    },
  )
}
