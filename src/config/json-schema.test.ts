import { expect, it } from 'vitest'
import { type JsonSchema, keysAt, publishedSchema } from './json-schema.ts'
import { defaults } from './schema.ts'

function* optionsOf({ properties = {}, items, additionalProperties }: JsonSchema): Generator<[string, JsonSchema]> {
  for (const [name, option] of Object.entries(properties)) yield* [[name, option] as [string, JsonSchema], ...optionsOf(option)]
  if (items) yield* optionsOf(items)
  if (typeof additionalProperties === 'object') yield* optionsOf(additionalProperties)
}

const options = [...optionsOf(publishedSchema())]

it.each(options)('%s is described for editors', (_, { description }) => {
  expect(description).toMatch(/^[A-Z`].+\.$/)
})

it('every default that the file has is known to editors', () => {
  const known = options.filter(([, option]) => option.default !== undefined).map(([name, option]) => [name, option.default])
  expect(Object.fromEntries(known)).toEqual(defaults)
})

it('a placeholder may stand wherever a number or a word may', () => {
  const choices = options.filter(([, { anyOf }]) => anyOf !== undefined)
  expect(choices.map(([name]) => name)).toEqual([
    ...[
      'port',
      'behindProxy',
      'transport',
      'part',
      'mode',
      'searchBodies',
      'count',
      'count',
      'discard',
      'rate',
      'first',
      'needsSecondPersonAbove',
    ],
    ...['severity', 'limit', 'clear', 'noData', 'type', 'passwords', 'role', 'role'],
  ])
  for (const [, { anyOf = [] }] of choices) expect(anyOf.at(-1)).toEqual({ type: 'string', pattern: '\\$\\{' })
})

it.each([
  [
    [],
    [
      'vault',
      'encryption',
      'server',
      'connections',
      'sources',
      'retention',
      'triage',
      'replays',
      'mask',
      'rules',
      'maintenance',
      'notifiers',
      'alerting',
      'otlp',
      'login',
    ],
  ],
  [
    ['sources', 3, 'returnTo'],
    ['channel', 'connection', 'group'],
  ],
  [['connections', 'any'], ['transport']],
  [['vault'], []],
  [['nothing', 'there'], []],
])('the keys at %j', (path, keys) => {
  expect(keysAt(path)).toEqual(keys)
})
