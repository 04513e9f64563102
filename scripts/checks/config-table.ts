import { type JsonSchema, publishedSchema } from '../../src/config/json-schema.ts'
import { table } from './generated-sections.ts'

/** Every option of the configuration file, as the schema that checks it says. */
export function configTable(): string {
  return table(['Option', 'What it is', 'Default'], [...rowsOf(publishedSchema(), '')])
}

function* rowsOf({ properties = {}, required = [], items, additionalProperties }: JsonSchema, path: string): Generator<string[]> {
  for (const [name, option] of Object.entries(properties)) {
    const full = path === '' ? name : `${path}.${name}`
    yield [`\`${full}\``, option.description ?? '', required.includes(name) ? 'must be given' : defaultOf(option)]
    yield* rowsOf(option, full)
  }
  if (items) yield* rowsOf(items, `${path}[]`)
  if (typeof additionalProperties === 'object') yield* rowsOf(additionalProperties, `${path}.<name>`)
}

function defaultOf({ default: value }: JsonSchema): string {
  return value === undefined ? '' : `\`${String(value)}\``
}
