import { type FieldName, fieldNames, fields, havings, kinds } from '../../src/core/filter/fields.ts'
import { letterStates } from '../../src/core/letter-states.ts'
import { table } from './generated-sections.ts'

/** The fields of the filter language, with what each one takes. */
export function filterTable(): string {
  return table(
    ['Field', 'Meaning', 'Takes', 'Operators', 'Example'],
    fieldNames.map((name) => {
      const { kind, means, example } = fields[name]
      const operators = kinds[kind].operators.map(code).join(' ')
      return [code(name), means, takes(name), operators, code(example)]
    }),
  )
}

function takes(name: FieldName): string {
  if (name === 'state') return oneOf(letterStates)
  if (name === 'has') return oneOf(havings)
  return kinds[fields[name].kind].takes
}

function oneOf(words: readonly string[]): string {
  return `one or more of ${words.map(code).join(', ')}`
}

function code(text: string): string {
  return `\`${text}\``
}
