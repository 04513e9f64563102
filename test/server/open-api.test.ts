import { describe, expect, test } from 'vitest'
import { api, world } from './server.fixture.ts'

interface Document {
  readonly openapi: string
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly summary?: string; readonly responses: object; readonly security?: [] }>>>
  >
}

/** The document itself, and what only browsers open. */
const notDescribed = [`${api}/openapi.json`, '/setup', '/oidc/callback']

describe('the OpenAPI document', () => {
  test('names every route that is declared, with its answers', async () => {
    const { person, server } = await world()
    const { ask } = await person({ role: 'viewer' })
    const answer = await ask('GET', '/openapi.json')
    const document = answer.json() as Document
    expect(document.openapi).toBe('3.1.0')
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/{(\w+)}/, ':$1')}`),
    )
    const declared = server.routes
      .filter(({ method, url }) => method !== 'HEAD' && !notDescribed.includes(url))
      .map(({ method, url }) => `${method} ${url}`)
    expect(described.toSorted()).toEqual(declared.toSorted())
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { summary, responses }] of Object.entries(methods)) {
        expect(summary, `${method} ${path}`).toBeTruthy()
        expect(Object.keys(responses), `${method} ${path}`).toEqual(
          expect.arrayContaining([expect.stringMatching(/^2/), '4XX', '5XX']),
        )
      }
    }
  })

  test('is not for strangers', async () => {
    const { server } = await world()
    expect((await server.app.inject({ method: 'GET', url: `${api}/openapi.json` })).statusCode).toBe(401)
  })
})
