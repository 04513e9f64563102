import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createWorld } from './server.fixture.ts'

/** As much of JSON Schema as the document of the API uses. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema | readonly Schema[]
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } }
}

/** Values that the schema takes, as far as it says so. */
function valid(schema: Schema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(valid))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  switch (schema.type) {
    case 'object':
      return fc.record(mapValues(schema.properties ?? {}, valid), { requiredKeys: [...(schema.required ?? [])] })
    case 'array':
      return schema.prefixItems
        ? fc.tuple(...schema.prefixItems.map(valid))
        : fc.array(valid((schema.items as Schema | undefined) ?? {}), { minLength: 1, maxLength: 3 })
    case 'string':
      return fc.string({ unit: 'grapheme', minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 20, 20) })
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer(bounds(schema)))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return fc.jsonValue()
  }
}

function bounds({ minimum = -1000, maximum = 1000 }: Schema): { min: number; max: number } {
  return { min: Math.ceil(minimum), max: Math.min(Math.floor(maximum), Number.MAX_SAFE_INTEGER) }
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

const made = await createWorld()
afterAll(() => made.close())
const admin = await made.person({ reveal: true })
const document = (await admin.ask('GET', '/openapi.json')).json() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** A stream has no end, and whoever signs out or changes the password cannot go on asking. */
const leftOut = new Set(['get /api/v1/events', 'delete /api/v1/session', 'put /api/v1/session/password'])

const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
  .filter(({ path, method }) => path.startsWith('/api/v1') && !leftOut.has(`${method} ${path}`))

async function statusOf(method: string, path: string, query: Record<string, unknown>, body: unknown): Promise<number> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])),
  )
  const url = `${path.replace('/api/v1', '')}${search.size > 0 ? `?${search}` : ''}`
  const answer = await admin.ask(method.toUpperCase(), url, body as object | undefined, { 'if-match': '"open.0"' })
  return answer.statusCode
}

describe('no request makes the server fail', () => {
  test.each(operations)(
    '$method $path, with what its schema takes and with anything else',
    async ({ method, path, operation }) => {
      const { parameters = [], requestBody } = operation
      const schema = requestBody?.content['application/json']?.schema
      const query = parameters.filter((parameter) => parameter.in === 'query')
      const anything = fc.jsonValue().filter((value) => typeof value === 'object' && value !== null)
      const request = fc.record({
        id: fc.oneof(fc.integer({ min: 1, max: 8 }).map(String), fc.string({ minLength: 1 }).map(encodeURIComponent)),
        query: fc.record(Object.fromEntries(query.map(({ name, schema: of }) => [name, fc.oneof(valid(of), fc.string())])), {
          requiredKeys: [],
        }),
        body: schema
          ? fc.oneof({ arbitrary: valid(schema), weight: 3 }, { arbitrary: anything, weight: 1 })
          : fc.constant(undefined),
      })
      await fc.assert(
        fc.asyncProperty(request, async ({ id, query: asked, body }) => {
          expect(await statusOf(method, path.replace('{id}', id), asked, body)).toBeLessThan(500)
          expect(made.problems).toEqual([])
        }),
        { numRuns: 15 },
      )
    },
  )
})
