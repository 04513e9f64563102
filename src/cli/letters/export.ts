import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import { filterArgument } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

interface ExportOptions extends PlaneOptions {
  readonly bodies?: boolean
}

/** Few enough for bodies of a megabyte each. */
const page = 100

export function addExport(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'export')
    .argument(...filterArgument)
    .summary('writes letters as lines of JSON')
    .description(
      'Writes letters as lines of JSON, the newest first. With --bodies the lines hold headers and bodies, and import takes them.',
    )
    .option('--bodies', 'with what is in them; else such a file can be read, and not imported')
    .addHelpText(
      'after',
      '\nThe output is always lines of JSON; --json only makes errors JSON, too.\n\nExamples:\n  redrive export state:open --bodies > letters.jsonl\n  redrive export | jq -r .cause.title | sort | uniq -c',
    )
    .action(async (filter: readonly string[], options: ExportOptions) =>
      end(await atDesk(options, terminal, (desk) => write(filter.join(' '), desk, options))),
    )
}

async function write(filter: string, { plane, terminal }: Desk, { bodies = false }: ExportOptions): Promise<number> {
  let written = 0
  for (let before: number | undefined; ; ) {
    const { letters, next } = await plane.letters.export({ filter, limit: page, bodies, ...(before !== undefined && { before }) })
    for (const letter of letters) terminal.out(`${visibleJson(letter)}\n`)
    await terminal.drained?.()
    written += letters.length
    if (next === undefined) return written === 0 ? exitCodes.nothing : exitCodes.done
    before = next
  }
}
