import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import { exitCodes } from '../exit-codes.ts'
import { many } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { type BadLine, type ExportedLine, exportedLines } from './exported-lines.ts'

interface ImportOptions extends PlaneOptions {
  readonly create?: boolean
}

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
      '\nA line that is no letter is refused by its number, and all others are taken in.\n\nExamples:\n  redrive import letters.jsonl\n  redrive import letters.jsonl --vault copy.db --create',
    )
    .action(async (file: string, options: ImportOptions) =>
      end(await atDesk(options, terminal, (desk) => take(file, desk, options), { create: options.create === true })),
    )
}

async function take(file: string, desk: Desk, { json }: ImportOptions): Promise<number> {
  const { terminal } = desk
  const path = resolve(terminal.folder, file)
  const name = relative(terminal.folder, path) || path
  const problems: BadLine[] = []
  let [read, imported] = [0, 0]
  for await (const lines of exportedLines(path, name)) {
    const taken = await takeTogether(lines, desk)
    read += lines.length
    imported += taken.imported
    problems.push(...taken.refused)
    if (!json) for (const problem of taken.refused) terminal.err(told(problem, name))
  }
  const refused = problems.length
  const known = read - imported - refused
  if (json) terminal.out(`${visibleJson({ read, imported, known, refused, problems })}\n`)
  else terminal.out(`${many(imported, 'letter')} imported, ${known} known already, ${refused} refused\n`)
  return statusOf(read, refused)
}

interface Taken {
  readonly imported: number
  readonly refused: readonly BadLine[]
}

async function takeTogether(lines: readonly ExportedLine[], { plane, by }: Desk): Promise<Taken> {
  const good = lines.filter((line) => 'letter' in line)
  const given = good.map(({ letter }) => letter)
  const { letters, refused } = await plane.letters.import(given, by)
  const among = refused.map(({ index, code, message }): BadLine => ({ line: good[index]?.line ?? 0, code, message }))
  const bad = lines.filter((line) => 'code' in line)
  return { imported: letters, refused: [...bad, ...among].toSorted((one, other) => one.line - other.line) }
}

function told({ line, code, message }: BadLine, name: string): string {
  return `${shown(`redrive: ${code}: ${name}: line ${line}: ${message}`)}\n`
}

function statusOf(read: number, refused: number): number {
  if (read === 0) return exitCodes.nothing
  if (refused === read) return exitCodes.failed
  return refused > 0 ? exitCodes.findings : exitCodes.done
}
