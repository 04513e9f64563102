import { letterStates } from '../letter-states.ts'
import { type FieldName, fieldNames, fields, havings, isField, isOfKind, kinds, type Operator } from './fields.ts'
import type { Comparing, Term } from './filter.ts'
import { readText } from './read-text.ts'
import { hint, readBeginning, readList, readLiteral, readPattern, readQuantity, readWord } from './read-value.ts'
import type { Scanner } from './scanner.ts'

/** The longer ones first: `<=` is no `<`. */
const operators: readonly Operator[] = ['<=', '>=', ':', '<', '>']

/** A field with its values, a word or a phrase. `count` is told of every value but the first. */
export function readTerm(scanner: Scanner, count: () => void): Term {
  const start = scanner.at()
  const name = scanner.takeUntil(':<>="()')
  if (name === 'header.' && scanner.sees('"')) return readHeader(scanner, count, scanner.takeQuoted(), start)
  if (!seesOperator(scanner)) {
    scanner.back(start)
    return readText(scanner, 'failure')
  }
  if (name.startsWith('header.')) return readHeader(scanner, count, name.slice('header.'.length), start)
  if (!isField(name)) throw unknownField(scanner, name, start)
  return readField(scanner, count, name)
}

function seesOperator(scanner: Scanner): boolean {
  return [':', '<', '>', '='].some((sign) => scanner.sees(sign))
}

function unknownField(scanner: Scanner, name: string, start: number): Error {
  const known = `Fields: ${[...fieldNames, 'header.<name>'].join(', ')}.`
  return scanner.fail(
    `${JSON.stringify(name)} is no field.${hint(name, [...fieldNames, 'header.'])} To search for text with one of : < > = in it, put it in "quotes". ${known}`,
    start,
  )
}

function readHeader(scanner: Scanner, count: () => void, name: string, start: number): Term {
  if (name === '') throw scanner.fail('The name of a header is missing, such as in header.tenant:acme.', start)
  if (!scanner.takes(':')) throw scanner.fail('A header is followed by a colon, such as header.tenant:acme.')
  return { kind: 'header', name, patterns: readList(scanner, count, () => readPattern(scanner)) }
}

function readField(scanner: Scanner, count: () => void, name: FieldName): Term {
  const operator = readOperator(scanner, name)
  const list = <T>(readOne: () => T): readonly T[] => readList(scanner, count, readOne)
  if (isOfKind(name, 'id')) return { kind: 'ids', field: name, values: list(() => readLiteral(scanner, kinds.id.takes)) }
  if (isOfKind(name, 'name')) return { kind: 'names', field: name, patterns: list(() => readPattern(scanner)) }
  if (name === 'state') return { kind: 'state', values: list(() => readWord(scanner, letterStates)) }
  if (name === 'has') return { kind: 'has', values: list(() => readWord(scanner, havings)) }
  if (name === 'cause') return { kind: 'cause', beginnings: list(() => readBeginning(scanner)) }
  if (name === 'body') return readText(scanner, 'body')
  return { kind: 'compare', field: name, operator: comparing(operator), value: readQuantity(scanner, fields[name].kind) }
}

function readOperator(scanner: Scanner, name: FieldName): Operator {
  const start = scanner.at()
  const operator = operators.find((sign) => scanner.takes(sign))
  const { operators: allowed } = kinds[fields[name].kind]
  if (operator !== undefined && allowed.includes(operator)) return operator
  throw scanner.fail(`${name} is followed by ${allowed.join(' or ')}, such as ${fields[name].example}.`, start)
}

function comparing(operator: Operator): Comparing {
  return operator === ':' ? '=' : operator
}
