import type { Command } from 'commander'
import type { SourceStatus } from '../ops/control-plane.ts'
import { exitCodes } from './exit-codes.ts'
import { channelOf } from './letters/channel-of.ts'
import { jsonlOption, type ListOptions, printList } from './output/list.ts'
import type { Column } from './output/table.ts'
import { atDesk, type PlaneOptions, planeCommand } from './plane/desk.ts'
import type { Terminal } from './terminal.ts'

export function addSources(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'sources')
    .summary('lists the dead-letter channels that letters came from')
    .description('Lists the dead-letter channels that letters came from, with what still asks for attention in each.')
    .option(...jsonlOption)
    .addHelpText(
      'after',
      '\nWithout a configuration no broker is asked, and what lies there is not known.\n\nExamples:\n  redrive sources\n  redrive sources --json',
    )
    .action(async (options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(
          options,
          terminal,
          async ({ plane }) => {
            const sources = await plane.sources()
            printList('sources', sources, columns, options, terminal)
            if (sources.length === 0 && !options.json && !options.jsonl) terminal.out('no sources\n')
            return sources.length === 0 ? exitCodes.nothing : exitCodes.done
          },
          { brokers: true },
        ),
      ),
    )
}

const columns: readonly Column<SourceStatus>[] = [
  { head: 'CONNECTION', cell: ({ source }) => source.connection },
  { head: 'CHANNEL', cell: ({ source }) => channelOf(source) },
  { head: 'MODE', cell: ({ mode, reading }) => (reading?.problem ? `${mode} (${reading.problem})` : mode) },
  { head: 'ON BROKER', cell: onBroker, align: 'right' },
  {
    head: 'UNRESOLVED',
    cell: ({ unresolved, isAtLeast }) => (isAtLeast ? `${unresolved}+` : unresolved),
    style: ({ unresolved, isAtLeast }) => (unresolved > 0 || isAtLeast ? 'red' : 'green'),
    align: 'right',
  },
  {
    head: 'LETTERS',
    cell: ({ source }) =>
      Object.entries(source.letters)
        .filter(([, count]) => count > 0)
        .map(([state, count]) => `${count} ${state}`)
        .join(', '),
    gives: true,
  },
]

/** Nobody looked is not 0. */
function onBroker({ mode, onBroker: found }: SourceStatus): string | number {
  if (mode === 'not-configured') return '?'
  return 'letters' in found ? found.letters : `unknown (${found.problem})`
}
