import type { Command } from 'commander'
import { readMatcher } from '../../core/alerts/matcher.ts'
import { parseDuration } from '../../core/duration.ts'
import { visibleJson } from '../../core/visible.ts'
import type { SilenceStatus } from '../../ops/control-plane.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { timestamp } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

interface SilenceOptions extends PlaneOptions {
  readonly for: string
  readonly reason: string
  readonly evenProtected?: boolean
}

export function addSilence(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'silence')
    .argument('<matcher...>', 'which alerts: name=value, name!=value or name=~value with * for any characters; all have to fit')
    .summary('tells nobody about some alerts for a time')
    .description('Tells nobody about some alerts for a time, at most seven days. The alerts themselves go on as before.')
    .requiredOption('--for <time>', 'for how long, such as 2h')
    .requiredOption('--reason <text>', 'why: whoever finds it wants to know')
    .option('--even-protected', 'also letters that cannot be written, and a disk that is nearly full')
    .addHelpText(
      'after',
      '\nNames are rule, type, severity, source, queue, group, cause and labels of rules.\n\nExamples:\n  redrive alerts silence source=shop --for 2h --reason "move to the new cluster"\n  redrive alerts silence "queue=~dlq.*" severity=warning --for 1d --reason "load test"',
    )
    .action(async (matchers: readonly string[], options: SilenceOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          const made = await plane.alerts.silence({
            matchers: matchers.map(readMatcher),
            reason: options.reason,
            endsAt: terminal.clock.now() + parseDuration(options.for, '--for'),
            evenProtected: options.evenProtected === true,
            ...by,
          })
          tell(made, options, terminal)
          return exitCodes.done
        }),
      ),
    )
}

export function addSilences(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'silences')
    .summary('lists silences that have not ended')
    .description('Lists silences that have not ended.')
    .option(...jsonlOption)
    .action(async (options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane }) => {
          const found = await plane.alerts.silences()
          printList('silences', found, columns, options, terminal)
          if (found.length === 0 && !options.json && !options.jsonl) terminal.out('no silences\n')
          return exitCodes.done
        }),
      ),
    )
}

export function addExtend(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'extend')
    .argument('<silence>', 'its number, as redrive alerts silences lists it', wholeNumber)
    .summary('gives a silence another end')
    .description('Gives a silence another end, at most seven days from now.')
    .requiredOption('--for <time>', 'how long from now')
    .action(async (id: number, options: PlaneOptions & { readonly for: string }) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          const endsAt = terminal.clock.now() + parseDuration(options.for, '--for')
          tell(await plane.alerts.extendSilence(id, { endsAt, ...by }), options, terminal)
          return exitCodes.done
        }),
      ),
    )
}

export function addUnsilence(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'unsilence')
    .argument('<silence>', 'its number, as redrive alerts silences lists it', wholeNumber)
    .summary('ends a silence now')
    .description('Ends a silence now. People are told once about what still fires.')
    .action(async (id: number, options: PlaneOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          const ended = await plane.alerts.endSilence(id, by)
          terminal.out(options.json ? `${visibleJson(ended)}\n` : `silence ${id} has ended\n`)
          return exitCodes.done
        }),
      ),
    )
}

function tell(silence: SilenceStatus, { json }: PlaneOptions, terminal: Terminal): void {
  terminal.out(json ? `${visibleJson(silence)}\n` : `silence ${silence.id} lasts until ${timestamp(silence.endsAt)}\n`)
}

const columns: readonly Column<SilenceStatus>[] = [
  { head: 'ID', cell: ({ id }) => id, align: 'right' },
  {
    head: 'STATE',
    cell: ({ isActive }) => (isActive ? 'active' : 'to come'),
    style: ({ isActive }) => (isActive ? 'yellow' : 'dim'),
  },
  { head: 'ENDS', cell: ({ endsAt }) => timestamp(endsAt) },
  { head: 'BY', cell: ({ author }) => author },
  {
    head: 'ALERTS',
    cell: ({ matchers }) => matchers.map(({ name, is, value }) => `${name}${is}${value}`).join(' '),
    gives: true,
  },
  { head: 'REASON', cell: ({ reason }) => reason, gives: true },
]
