import type { ApiDocument, ApiOperation, JsonSchema } from './api-document.ts'

const prefix = '/api/v1'

/**
 * The API as types, for the dashboard: every request with what it takes and what it is answered, written from the document that the server makes
 * of the schemas it validates with. Nobody copies a type by hand, so that none can say something else than the server does.
 */
export function apiTypes({ paths }: ApiDocument): string {
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
    .toSorted((one, other) => nameOf(one).localeCompare(nameOf(other), 'en'))
  return `// Written by \`npm run docs\` from the schemas of the server. Changes made here are lost.

export interface Api {
${operations.map(typeOfOperation).join('\n')}
}
`
}

interface Named {
  readonly method: string
  readonly path: string
  readonly operation: ApiOperation
}

function nameOf({ path, method }: Named): string {
  return `${path} ${method}`
}

function typeOfOperation({ method, path, operation }: Named): string {
  const { parameters = [], requestBody, responses, summary } = operation
  const among = (place: string): readonly string[] =>
    parameters
      .filter((each) => each.in === place)
      .map(({ name, required, schema }) => `${keyOf(name)}${required ? '' : '?'}: ${typeOf(schema)}`)
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const members = [
    ...(among('path').length > 0 ? [`path: { ${among('path').join('; ')} }`] : []),
    ...(among('query').length > 0 ? [`query: { ${among('query').join('; ')} }`] : []),
    ...(requestBody ? [`body: ${bodyOf(requestBody)}`] : []),
    `answer: ${[...new Set(answers.map(([, answer]) => bodyOf(answer)))].join(' | ') || 'undefined'}`,
  ]
  const name = `${method.toUpperCase()} ${path.slice(prefix.length)}`
  return `  /** ${summary ?? ''} */\n  '${name}': {\n${members.map((member) => `    ${member}\n`).join('')}  }`
}

function bodyOf({ content = {} }: { readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>> }): string {
  const schema = content['application/json']?.schema
  return schema ? typeOf(schema) : 'undefined'
}

/** What the document does not say more exactly is `unknown`: then whoever uses it has to look. */
export function typeOf(schema: JsonSchema): string {
  const { anyOf, oneOf, type } = schema
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  if (anyOf ?? oneOf) return [...new Set((anyOf ?? oneOf ?? []).map(typeOf))].join(' | ')
  if (Array.isArray(type)) return [...new Set(type.map((one: string) => typeOf({ ...schema, type: one })))].join(' | ')
  switch (type) {
    case 'object':
      return typeOfObject(schema)
    case 'array':
      return typeOfArray(schema)
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return type
    default:
      return 'unknown'
  }
}

function typeOfObject({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${keyOf(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  return typeof additionalProperties === 'object' ? `Record<string, ${typeOf(additionalProperties)}>` : 'Record<string, unknown>'
}

function typeOfArray({ items, prefixItems }: JsonSchema): string {
  if (prefixItems) return `[${prefixItems.map(typeOf).join(', ')}]`
  const item = items ? typeOf(items) : 'unknown'
  return item.includes(' ') ? `(${item})[]` : `${item}[]`
}

function keyOf(name: string): string {
  return /^[a-z]\w*$/i.test(name) ? name : `'${name}'`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
