import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type ErrorCode, RedriveError } from '../../core/errors.ts'
import { type ExportedLetter, exportedLetter } from '../../ops/exported-letter.ts'

/** A line of a file, counted from 1: the letter that stands there, or what is wrong with it. */
export type ExportedLine = { readonly line: number; readonly letter: ExportedLetter } | BadLine

export interface BadLine {
  readonly line: number
  readonly code: ErrorCode
  readonly message: string
}

const together = 100

/** Few enough lines at a time for bodies of a megabyte each. */
export async function* exportedLines(path: string, name: string): AsyncGenerator<readonly ExportedLine[]> {
  let lines: ExportedLine[] = []
  let number = 0
  for await (const text of textsOf(path, name)) {
    number++
    if (text.trim() === '') continue
    lines.push(judged(text, number))
    if (lines.length < together) continue
    yield lines
    lines = []
  }
  if (lines.length > 0) yield lines
}

async function* textsOf(path: string, name: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (cause) {
    throw new RedriveError('bad-option', `${name}: it cannot be read.`, { cause })
  }
}

/** Of what is wrong, only the place is told: the line holds a payload. */
function judged(text: string, line: number): ExportedLine {
  const read = parsed(text)
  if (read === undefined) return { line, code: 'bad-message', message: 'It is no JSON.' }
  const { success, data, error } = exportedLetter.safeParse(read)
  if (success) return { line, letter: data }
  const places = error.issues.slice(0, 3).map(({ path }) => path.join('.') || 'the line itself')
  return { line, code: 'bad-message', message: `It is no letter that export wrote; look at ${places.join(', ')}.` }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
