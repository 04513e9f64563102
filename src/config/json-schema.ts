import { z } from 'zod'
import type { Path } from './path.ts'
import { configSchema } from './schema.ts'

/** As much of JSON Schema as is used here. */
export interface JsonSchema {
  readonly description?: string
  readonly default?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema
  readonly required?: readonly string[]
  readonly [keyword: string]: unknown
}

/** What editors check and complete `redrive.yaml` with. */
export function publishedSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input' }) as JsonSchema
  return { $schema, title: 'redrive.yaml', ...withPlaceholders(schema) }
}

const placeholder: JsonSchema = { type: 'string', pattern: '\\$\\{' }

/** Wherever the file takes a number or a word, it takes a placeholder too. */
function withPlaceholders(schema: JsonSchema): JsonSchema {
  const { anyOf, enum: words, type, properties, items, additionalProperties, ...rest } = schema
  if (anyOf) return { ...rest, anyOf: [...anyOf, placeholder] }
  if (words) return { ...rest, anyOf: [{ type, enum: words }, placeholder] }
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, withPlaceholders(inner)])),
    }),
    ...(items && { items: withPlaceholders(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withPlaceholders(additionalProperties) }),
  }
}

/** The keys that may stand in the mapping at a path. */
export function keysAt(path: Path): readonly string[] {
  let schema: JsonSchema | undefined = publishedSchema()
  for (const step of path) schema = inside(schema, step)
  return Object.keys(schema?.properties ?? {})
}

function inside(schema: JsonSchema | undefined, step: string | number): JsonSchema | undefined {
  if (typeof step === 'number') return schema?.items
  const others = schema?.additionalProperties
  return schema?.properties?.[step] ?? (typeof others === 'object' ? others : undefined)
}
