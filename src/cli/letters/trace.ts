import type { Command } from 'commander'
import type { TraceEvent } from '../../ops/control-plane.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { timestamp } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { failureOf } from './failure-text.ts'

export function addTrace(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'trace')
    .argument('<correlation-id>', 'what the letters have in common; an alert names it')
    .summary('tells what happened under a correlation id')
    .description(
      'Tells what happened under a correlation id, in the order of time: every failure, replay and note, across channels and brokers.',
    )
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive trace c-981\n  redrive trace --json -- --odd-id')
    .action(async (correlationId: string, options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane }) => {
          const events = await plane.trace(correlationId)
          printList('events', events, columns, options, terminal)
          if (events.length === 0 && !options.json && !options.jsonl) terminal.out('nothing is known under this correlation id\n')
          return events.length === 0 ? exitCodes.nothing : exitCodes.done
        }),
      ),
    )
}

const columns: readonly Column<TraceEvent>[] = [
  { head: 'TIME', cell: ({ at }) => timestamp(at) },
  { head: 'LETTER', cell: (event) => (event.kind === 'failed' ? event.letter.id : event.letter), align: 'right' },
  { head: 'WHAT', cell: ({ kind }) => kind, style: ({ kind }) => (kind === 'failed' ? 'red' : undefined) },
  { head: 'ABOUT', cell: aboutEvent, gives: true },
]

function aboutEvent(event: TraceEvent): string {
  if (event.kind === 'failed') return `${event.letter.channel}: ${failureOf(event.letter) ?? 'no reason was given'}`
  if (event.kind === 'replayed') return `replay ${event.replay}: ${event.outcome}`
  return `${event.note.actor}: ${event.note.text}`
}
