import { createReadStream } from 'node:fs'
import { relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import { type ExportedLetter, exportedLetter } from '../../ops/exported-letter.ts'
import { exitCodes } from '../exit-codes.ts'
import { many } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

interface ImportOptions extends PlaneOptions {
  readonly create?: boolean
}

const batch = 100

export function addImport(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'import')
    .argument('<file>', 'lines of JSON, as export --bodies writes them')
    .summary('takes in letters that were exported')
    .description(
      'Takes in letters that were exported with their bodies. A letter that is here already, or was purged here, stays as it is: importing twice is importing once.',
    )
    .option('--create', 'makes the vault where there is none')
    .addHelpText(
      'after',
      '\nEvery letter before a line that cannot be read has been taken in.\n\nExamples:\n  redrive import letters.jsonl\n  redrive import letters.jsonl --vault copy.db --create',
    )
    .action(async (file: string, options: ImportOptions) =>
      end(await atDesk(options, terminal, (desk) => take(file, desk, options), { create: options.create === true })),
    )
}

async function take(file: string, { plane, terminal, by }: Desk, { json }: ImportOptions): Promise<number> {
  let [read, imported] = [0, 0]
  for await (const letters of batchesOf(resolve(terminal.folder, file), terminal)) {
    read += letters.length
    imported += (await plane.letters.import(letters, by)).letters
  }
  if (json) terminal.out(`${visibleJson({ read, imported, known: read - imported })}\n`)
  else terminal.out(`${many(imported, 'letter')} imported, ${read - imported} known already\n`)
  return read === 0 ? exitCodes.nothing : exitCodes.done
}

async function* batchesOf(path: string, terminal: Terminal): AsyncGenerator<readonly ExportedLetter[]> {
  const name = relative(terminal.folder, path) || path
  let letters: ExportedLetter[] = []
  let number = 0
  for await (const line of linesOf(path, name)) {
    number++
    if (line.trim() === '') continue
    letters.push(letterOf(line, `${name}: line ${number}`))
    if (letters.length < batch) continue
    yield letters
    letters = []
  }
  if (letters.length > 0) yield letters
}

async function* linesOf(path: string, name: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  } catch (cause) {
    if (cause instanceof RedriveError) throw cause
    throw new RedriveError('bad-option', `${name}: it cannot be read.`, { cause })
  }
}

/** Only the place is told: the line holds a payload. */
function letterOf(line: string, where: string): ExportedLetter {
  const { success, data, error } = exportedLetter.safeParse(parsed(line))
  if (success) return data
  const places = error.issues.slice(0, 3).map(({ path }) => path.join('.') || 'the line itself')
  throw new RedriveError('bad-message', `${where} is no letter that export wrote; look at ${places.join(', ')}.`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
