import { z } from 'zod'
import type { TraceEvent } from '../../ops/control-plane.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { showLetter, shownLetter, shownNote, time } from '../schemas.ts'

const event = z.union([
  z.object({ kind: z.literal('failed'), at: time, letter: shownLetter }),
  z.object({ kind: z.literal('replayed'), at: time, letter: z.int(), replay: z.int(), outcome: z.string() }),
  z.object({ kind: z.literal('note'), at: time, letter: z.int(), note: shownNote }),
])

export function traceRoutes(app: Api, { controlPlane, sight, hashKey }: Context): void {
  app.get(
    '/trace',
    {
      config: { rule: { need: 'metadata:read', action: 'trace.read', audit: 'metadata' } },
      schema: {
        summary: 'Everything that happened under a correlation id, in the order of time.',
        tags: ['trace'],
        querystring: z.object({ correlationId: z.string().min(1).max(500) }),
        response: { 200: z.object({ events: z.array(event) }) },
      },
    },
    async (request) => {
      const visible = await sight.sources(principalOf(request))
      const all = await controlPlane.trace(request.query.correlationId)
      const events = visible ? ofSources(all, visible) : all
      return {
        events: events.map((shown) =>
          shown.kind === 'failed' ? { ...shown, letter: showLetter(shown.letter, hashKey) } : { ...shown },
        ),
      }
    },
  )
}

/** What happened to a letter is for those who may see that letter. */
function ofSources(events: readonly TraceEvent[], sources: ReadonlySet<number>): readonly TraceEvent[] {
  const letters = new Set(
    events.flatMap((event) => (event.kind === 'failed' && sources.has(event.letter.source) ? [event.letter.id] : [])),
  )
  return events.filter((event) => letters.has(event.kind === 'failed' ? event.letter.id : event.letter))
}
