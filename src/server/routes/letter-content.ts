import { Buffer } from 'node:buffer'
import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import type { Edit } from '../../ops/control-plane.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { requireSeen } from '../etag.ts'
import { headerFromJson } from '../header-json.ts'
import { type PayloadView, viewOf } from '../payload-view.ts'
import { idParams } from '../schemas.ts'

const isCut = z.boolean()

const payloadView: z.ZodType<PayloadView> = z.object({
  isMasked: z.boolean(),
  contentType: z.string().nullable(),
  type: z.string().nullable(),
  key: z.string().nullable(),
  headers: z.array(z.tuple([z.string(), z.unknown()])),
  body: z.union([
    z.object({ kind: z.literal('none') }),
    z.object({ kind: z.literal('json'), value: z.unknown() }),
    z.object({ kind: z.literal('text'), text: z.string(), isCut }),
    z.object({ kind: z.literal('bytes'), base64: z.string(), isCut }),
    z.object({ kind: z.literal('hidden'), because: z.enum(['not-json', 'too-large']) }),
  ]),
})

const editBody = z.strictObject({
  body: z
    .union([z.null(), z.strictObject({ text: z.string() }), z.strictObject({ base64: z.base64() })])
    .optional()
    .describe('Absent: as it was. Null: a tombstone.'),
  headers: z
    .array(z.tuple([z.string().min(1).max(255), z.unknown()]))
    .max(500)
    .optional(),
})

const verdict = z.object({
  hasSchema: z.boolean(),
  mistakes: z
    .array(
      z.object({
        at: z.string().describe('A JSON pointer into the text.'),
        rule: z.string().describe('A pointer into the schema.'),
        text: z.string(),
      }),
    )
    .describe('The first hundred.'),
})

/** Letters are as large as brokers take them. */
const largestEdit = 32 * 1024 * 1024

/** The only places where a payload leaves, and comes in. Each look is noted before it happens. */
export function letterContentRoutes(app: Api, { controlPlane, sight, masking }: Context): void {
  app.get(
    '/letters/:id/content',
    {
      config: { rule: { need: 'payload:read', action: 'payload.read', audit: 'payload', noted: ['reveal'] } },
      schema: {
        summary: 'What a letter holds, masked; as it is with `reveal=true`, which needs the right payload:reveal.',
        tags: ['letters'],
        params: idParams,
        querystring: z.object({ reveal: z.enum(['true', 'false']).default('false') }),
        response: { 200: payloadView },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const reveals = request.query.reveal === 'true'
      if (reveals && !principal.rights.has('payload:reveal')) {
        throw new RedriveError('not-allowed', 'This needs the right payload:reveal.')
      }
      const { id } = request.params
      await sight.letter(principal, id)
      return viewOf(await controlPlane.letters.content(id), reveals ? undefined : masking)
    },
  )

  app.get(
    '/letters/:id/raw',
    {
      config: { rule: { need: 'payload:reveal', action: 'payload.download', audit: 'payload' } },
      schema: {
        summary: 'The body, byte for byte, as an attachment.',
        tags: ['letters'],
        params: idParams,
        response: {
          200: {
            description: 'Bytes.',
            content: { 'application/octet-stream': { schema: z.unknown().meta({ type: 'string', format: 'binary' }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await sight.letter(principalOf(request), id)
      const { body } = await controlPlane.letters.content(id)
      // Whatever it is, a browser takes it for bytes: nothing in it runs under our name.
      return reply
        .header('content-type', 'application/octet-stream')
        .header('content-disposition', `attachment; filename="letter-${id}.bin"`)
        .header('x-content-type-options', 'nosniff')
        .header('content-security-policy', "sandbox; default-src 'none'")
        .send(Buffer.from(body ?? new Uint8Array()))
    },
  )

  app.post(
    '/letters/:id/edits/check',
    {
      bodyLimit: largestEdit,
      config: { rule: { need: 'letters:edit', action: 'letters.check', audit: 'metadata' } },
      schema: {
        summary: 'Where a text would not be as the schema of the letter wants it, if its source has one. Nothing is kept.',
        tags: ['letters'],
        params: idParams,
        body: z.strictObject({ text: z.string() }),
        response: { 200: verdict },
      },
    },
    async (request) => {
      const { id } = request.params
      await sight.letter(principalOf(request), id)
      const { hasSchema, mistakes } = await controlPlane.letters.checkBody(id, Buffer.from(request.body.text))
      return { hasSchema, mistakes: [...mistakes] }
    },
  )

  app.post(
    '/letters/:id/edits',
    {
      bodyLimit: largestEdit,
      config: { rule: { need: 'letters:edit', action: 'letters.edit', audit: 'write', ifMatch: 'needed' } },
      schema: {
        summary: 'A changed copy, which a replay can send instead. The original stays. Needs If-Match.',
        tags: ['letters'],
        params: idParams,
        body: editBody,
        response: { 201: z.object({ id: z.int() }) },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      await sight.letter(principal, id)
      const seen = requireSeen(request.headers['if-match'])
      const edit = await controlPlane.letters.edit(id, { ...editOf(request.body, principal.name), seen })
      return reply.code(201).send({ id: edit.id })
    },
  )
}

function editOf({ body, headers }: z.output<typeof editBody>, actor: string): Edit {
  if (body === undefined && headers === undefined) throw new RedriveError('bad-request', 'body or headers: an edit changes one.')
  return {
    actor,
    ...(body !== undefined && { body: bytesOf(body) }),
    ...(headers && { headers: headers.map(([name, value]) => [name, headerFromJson(value)] as const) }),
  }
}

function bytesOf(body: { text: string } | { base64: string } | null): Uint8Array | null {
  if (body === null) return null
  return 'text' in body ? Buffer.from(body.text) : Buffer.from(body.base64, 'base64')
}
