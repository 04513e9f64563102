import swagger from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Api } from './api.ts'

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
    transform: jsonSchemaTransform,
  })
  app.get(
    '/api/v1/openapi.json',
    { config: { rule: { need: 'signed-in', action: 'openapi.read', audit: 'metadata' } }, schema: { hide: true } },
    async () => app.swagger(),
  )
}
