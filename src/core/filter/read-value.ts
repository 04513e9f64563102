import { readTime } from '../dialects/read-time.ts'
import { parseDuration } from '../duration.ts'
import { hasCode } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { parseSize } from '../size.ts'
import { kinds } from './fields.ts'
import type { Pattern } from './pattern.ts'
import type { Scanner } from './scanner.ts'

/** What ends a value that is not in quotes, besides a space. */
const ends = ',*()"'

/** Values with commas between them. `count` is told of each one but the first. */
export function readList<T>(scanner: Scanner, count: () => void, readOne: () => T): readonly T[] {
  const values = [readOne()]
  while (scanner.takes(',')) {
    count()
    values.push(readOne())
  }
  mustEnd(scanner)
  return values
}

/** Pieces between stars; each piece may stand in quotes, in which a star is a star. */
export function readPattern(scanner: Scanner): Pattern {
  const start = scanner.at()
  const pieces = [readPiece(scanner)]
  while (scanner.takes('*')) pieces.push(readPiece(scanner))
  if (scanner.at() === start) throw scanner.fail('A value must stand here.')
  return pieces.filter((piece, index) => piece !== '' || index === 0 || index === pieces.length - 1)
}

function readPiece(scanner: Scanner): string {
  if (!scanner.sees('"')) return scanner.takeUntil(ends)
  const piece = scanner.takeQuoted()
  if (!scanner.sees('*') && !scanner.sees(',')) mustEnd(scanner)
  return piece
}

/** A value in which a star stands for nothing else; `takes` says what it should be. */
export function readLiteral(scanner: Scanner, takes: string): string {
  const start = scanner.at()
  const [literal = '', ...more] = readPattern(scanner)
  if (more.length === 0) return literal
  throw scanner.fail(`This takes ${takes}. Put a star in "quotes" to mean the character.`, start)
}

export function readWord<T extends string>(scanner: Scanner, allowed: readonly T[]): T {
  const start = scanner.at()
  const word = readLiteral(scanner, `one or more of ${allowed.join(', ')}`)
  const found = allowed.find((candidate) => candidate === word)
  if (found !== undefined) return found
  throw scanner.fail(`${JSON.stringify(word)} is none of ${allowed.join(', ')}.${hint(word, allowed)}`, start)
}

export function readBeginning(scanner: Scanner): string {
  const start = scanner.at()
  const beginning = readLiteral(scanner, kinds.beginning.takes)
  if (beginning !== '') return beginning
  throw scanner.fail('Everything begins with nothing: at least one character must stand here.', start)
}

/** A number, size, duration or time, as the number that is compared. */
export function readQuantity(scanner: Scanner, kind: keyof typeof quantities): number {
  const start = scanner.at()
  const takes = kinds[kind].takes.replaceAll('`', '')
  const written = readLiteral(scanner, takes)
  if (scanner.sees(',')) throw scanner.fail('What is compared is one value only.')
  mustEnd(scanner)
  const value = quantities[kind](written)
  if (value !== undefined) return value
  throw scanner.fail(`${JSON.stringify(written)} is not ${takes}.`, start)
}

const wholeNumber = /^\d{1,15}$/
/** From 1970 to 2999: what a letter can have happened in, and what can be written again with four digits. */
const isoStart = /^[12]\d{3}-/
const latest = Date.UTC(3000, 0) - 1

const quantities = {
  number: (text: string): number | undefined => (wholeNumber.test(text) ? Number(text) : undefined),
  size: (text: string): number | undefined => (wholeNumber.test(text) ? Number(text) : attempt(() => parseSize(text, 'size'))),
  duration: (text: string): number | undefined => attempt(() => Math.round(parseDuration(text, 'age'))),
  time: (text: string): number | undefined => (isoStart.test(text) ? inRange(readTime(text)) : undefined),
}

function inRange(at: number | undefined): number | undefined {
  return at !== undefined && at >= 0 && at <= latest ? at : undefined
}

function attempt(parse: () => number): number | undefined {
  try {
    return parse()
  } catch (error) {
    if (hasCode(error, 'bad-option')) return undefined
    throw error
  }
}

export function mustEnd(scanner: Scanner): void {
  if (endsHere(scanner)) return
  if (scanner.sees('(') || scanner.sees('"'))
    throw scanner.fail('Text with parentheses or quotes in it must stand in "quotes"; in them, two quotes stand for one.')
  throw scanner.fail('A space must stand here.')
}

export function endsHere(scanner: Scanner): boolean {
  return scanner.isAtEnd() || scanner.seesSpace() || scanner.sees(')')
}

export function hint(word: string, candidates: readonly string[]): string {
  const meant = nearest(word, candidates)
  return meant === undefined ? '' : ` Did you mean ${meant}?`
}
