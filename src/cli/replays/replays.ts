import type { Command } from 'commander'
import type { ReplayDetail } from '../../ops/control-plane.ts'
import { atLeastOne, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import { styleOfState } from '../output/paint.ts'
import type { Column } from '../output/table.ts'
import { age } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

interface ReplaysOptions extends PlaneOptions, ListOptions {
  readonly limit: number
  readonly before?: number
}

export function addReplays(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'replays')
    .summary('lists replays, the newest first')
    .description('Lists replays, the newest first.')
    .option('--limit <n>', 'at most so many', atLeastOne, 50)
    .option('--before <id>', 'only those with a smaller id: the next page', wholeNumber)
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive replays\n  redrive replays --limit 10 --json')
    .action(async (options: ReplaysOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane }) => {
          const { limit, before } = options
          const replays = await plane.replays.list({ limit, ...(before !== undefined && { before }) })
          printList('replays', replays, columnsAt(terminal.clock.now()), options, terminal)
          if (replays.length === 0 && !options.json && !options.jsonl) terminal.out('no replays\n')
          return replays.length === 0 ? exitCodes.nothing : exitCodes.done
        }),
      ),
    )
}

function columnsAt(now: number): readonly Column<ReplayDetail['replay']>[] {
  return [
    { head: 'ID', cell: ({ id }) => id, align: 'right' },
    { head: 'STATE', cell: ({ state }) => state, style: ({ state }) => styleOfState(state) },
    { head: 'LETTERS', cell: ({ letters }) => letters, align: 'right' },
    { head: 'MADE', cell: ({ madeAt }) => age(madeAt, now), align: 'right' },
    { head: 'BY', cell: ({ actor }) => actor },
    { head: 'NAME', cell: ({ name }) => name, gives: true },
  ]
}
