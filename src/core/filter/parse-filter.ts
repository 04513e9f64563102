import { all, any, type Filter, not } from './filter.ts'
import { FilterError } from './filter-error.ts'
import { printFilter } from './print-filter.ts'
import { readTerm } from './read-term.ts'
import { endsHere } from './read-value.ts'
import { createScanner, type Scanner } from './scanner.ts'

/** What a person writes fits easily. Every value of a term counts as a term. */
export const filterLimits = { characters: 4096, terms: 64, nesting: 16 } as const

interface Reading {
  readonly scanner: Scanner
  /** Told of every term, and of every value but the first of each. */
  readonly count: () => void
  readonly depth: number
}

/**
 * Reads a filter such as `channel:dlq.* age>1h -state:discarded "card declined"`:
 *
 *     filter = [ either ]
 *     either = both { "OR" both }
 *     both   = item { [ "AND" ] item }
 *     item   = [ "-" ] ( "(" either ")" | term )
 *     term   = field operator value { "," value } | word | phrase
 *
 * Throws a `FilterError` for anything else. Every character is looked at a fixed number of times.
 */
export function parseFilter(text: string): Filter {
  if (text.length > filterLimits.characters) throw tooLong(text)
  const scanner = createScanner(text)
  scanner.takeSpaces()
  if (scanner.isAtEnd()) return all([])
  const filter = readEither({ scanner, count: termCounter(scanner), depth: 0 })
  if (!scanner.isAtEnd()) throw scanner.fail('No parenthesis is open that this one could close.')
  // What is kept is the canonical text, which may be a little longer and must be readable again.
  if (printFilter(filter).length > filterLimits.characters) throw tooLong(text)
  return filter
}

function tooLong(text: string): FilterError {
  const { characters } = filterLimits
  return new FilterError(text, Math.min(text.length, characters), `A filter has at most ${characters} characters.`)
}

function termCounter(scanner: Scanner): () => void {
  let terms = 0
  return () => {
    if (++terms > filterLimits.terms) throw scanner.fail(`A filter has at most ${filterLimits.terms} terms and values.`)
  }
}

function readEither(reading: Reading): Filter {
  const filters = [readBoth(reading)]
  while (takesKeyword(reading.scanner, 'OR')) filters.push(readBoth(reading))
  return any(filters)
}

function readBoth(reading: Reading): Filter {
  const { scanner } = reading
  const filters = [readItem(reading)]
  while (!scanner.isAtEnd() && !scanner.sees(')') && !scanner.seesWord('OR')) {
    takesKeyword(scanner, 'AND')
    filters.push(readItem(reading))
  }
  return all(filters)
}

/** One item, and the spaces behind it. */
function readItem(reading: Reading): Filter {
  const { scanner } = reading
  refuseNothing(scanner)
  const filter = scanner.takes('-') ? not(readDenied(reading)) : readPositive(reading)
  scanner.takeSpaces()
  return filter
}

function readDenied(reading: Reading): Filter {
  const { scanner } = reading
  if (endsHere(scanner) || scanner.sees('-'))
    throw scanner.fail('A minus must stand directly before what it denies, and only once.', scanner.at() - 1)
  return readPositive(reading)
}

function readPositive(reading: Reading): Filter {
  if (reading.scanner.sees('(')) return readGroup(reading)
  reading.count()
  return readTerm(reading.scanner, reading.count)
}

function readGroup(reading: Reading): Filter {
  const { scanner, depth } = reading
  const start = scanner.at()
  if (depth === filterLimits.nesting) throw scanner.fail(`Parentheses stand at most ${filterLimits.nesting} deep in each other.`)
  scanner.takes('(')
  scanner.takeSpaces()
  const filter = readEither({ ...reading, depth: depth + 1 })
  if (!scanner.takes(')')) throw scanner.fail('This parenthesis is never closed.', start)
  if (!endsHere(scanner)) throw scanner.fail('A space must stand here.')
  return filter
}

/** Where an item must stand, and the text ends or goes on with what can only stand behind one. */
function refuseNothing(scanner: Scanner): void {
  if (scanner.isAtEnd()) throw scanner.fail('Something must follow here.')
  if (scanner.sees(')')) throw scanner.fail('Something must stand before this parenthesis.')
  if (scanner.seesWord('OR') || scanner.seesWord('AND'))
    throw scanner.fail('Something must stand before this word. To search for the word itself, put it in "quotes".')
  if (scanner.seesWord('NOT')) throw scanner.fail('What is denied has a minus directly before it, such as -state:open.')
}

/** Takes the word and the spaces behind it. */
function takesKeyword(scanner: Scanner, keyword: 'AND' | 'OR'): boolean {
  const found = scanner.seesWord(keyword) && scanner.takes(keyword)
  if (found) scanner.takeSpaces()
  return found
}
