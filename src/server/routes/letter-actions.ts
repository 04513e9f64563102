import { z } from 'zod'
import type { By, Counted, Selection } from '../../ops/control-plane.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import type { RouteRule } from '../route-rule.ts'
import { counted, idParams, noteBody, selection } from '../schemas.ts'

const discarding: RouteRule = { need: 'letters:discard', action: 'letters.discard', audit: 'write', noted: ['selection'] }
const purging: RouteRule = { need: 'letters:purge', action: 'letters.purge', audit: 'write', noted: ['selection'] }

/** What people do to letters besides sending them back. */
export function letterActionRoutes(app: Api, { controlPlane, sight }: Context): void {
  const { letters } = controlPlane

  const bulk = (
    url: string,
    rule: RouteRule,
    summary: string,
    act: (selected: Selection, by: By) => Promise<Counted>,
    body: z.ZodType<{ selection: Selection }> = z.strictObject({ selection }),
  ): void =>
    void app.post(
      url,
      { config: { rule }, schema: { summary, tags: ['letters'], body, response: { 200: counted } } },
      async (request) => {
        const principal = principalOf(request)
        return act(await sight.selection(principal, request.body.selection), { actor: principal.name })
      },
    )

  bulk('/letters/discard', discarding, 'Out of sight, until retention takes them or somebody restores them.', letters.discard)
  bulk('/letters/restore', { ...discarding, action: 'letters.restore' }, 'Discarded letters, open again.', letters.restore)
  bulk(
    '/letters/purge',
    purging,
    'For good. `confirm` is the word purge.',
    letters.purge,
    z.strictObject({ selection, confirm: z.literal('purge') }),
  )

  app.post(
    '/letters/:id/erase',
    {
      config: { rule: { ...purging, action: 'letters.erase' } },
      schema: {
        summary: 'Shreds what a letter holds. `confirm` is the word erase.',
        tags: ['letters'],
        params: idParams,
        body: z.strictObject({ confirm: z.literal('erase') }),
        response: { 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const principal = principalOf(request)
      await sight.letter(principal, id)
      await letters.erase(id, { actor: principal.name })
      return reply.code(204).send()
    },
  )

  app.post(
    '/letters/:id/notes',
    {
      config: { rule: { need: 'letters:discard', action: 'letters.note', audit: 'write' } },
      schema: {
        summary: 'What somebody found out.',
        tags: ['letters'],
        params: idParams,
        body: noteBody,
        response: { 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const principal = principalOf(request)
      await sight.letter(principal, id)
      await letters.note(id, request.body.text, { actor: principal.name })
      return reply.code(204).send()
    },
  )
}
