import swagger from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Api } from './api.ts'
import type { RouteRule } from './route-rule.ts'

const problem = {
  description: 'What is wrong, with a code of docs/errors.md.',
  content: {
    'application/problem+json': {
      schema: z.object({
        type: z.string(),
        title: z.string(),
        status: z.int(),
        detail: z.string(),
        code: z.string(),
        issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      }),
    },
  },
}

/** The document of the API, made from the very schemas that validate, so that it cannot say anything else than the server does. */
export async function addOpenApi(app: Api, secure: boolean): Promise<void> {
  app.addHook('onRoute', (route) => {
    if (!route.schema || route.schema.hide) return
    const answers = (route.schema.response ?? {}) as Readonly<Record<string, unknown>>
    route.schema = { ...route.schema, response: { ...answers, '4xx': problem, '5xx': problem } }
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Redrive', description: 'Dead letters: found, understood, mended and sent back.', version: '1' },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          session: { type: 'apiKey', in: 'cookie', name: secure ? '__Host-redrive' : 'redrive' },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    transform: (document) => withHeaders(jsonSchemaTransform(document), document.route.config?.rule),
  })
  app.get(
    '/api/v1/openapi.json',
    { config: { rule: { need: 'signed-in', action: 'openapi.read', audit: 'metadata' } }, schema: { hide: true } },
    async () => app.swagger(),
  )
}

/** The guard, the trail and the routes read these headers by themselves, so that no schema of a route names them. */
function withHeaders<Described extends { schema: FastifySchema }>(described: Described, rule: RouteRule | undefined): Described {
  const properties = {
    ...(rule?.audit === 'write' && { 'idempotency-key': idempotencyKey }),
    ...(rule?.ifMatch && { 'if-match': ifMatch }),
  }
  if (described.schema.hide || Object.keys(properties).length === 0) return described
  const required = rule?.ifMatch === 'needed' ? ['if-match'] : []
  return { ...described, schema: { ...described.schema, headers: { type: 'object', properties, required } } }
}

const idempotencyKey = {
  type: 'string',
  pattern: '^[\\x21-\\x7e]{1,128}$',
  description: 'The same key with the same request gets the same answer, and nothing is done twice.',
}
const ifMatch = { type: 'string', description: 'The ETag of what you have seen: whoever saw an older one is refused.' }
