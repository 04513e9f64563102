import type { Command } from 'commander'
import type { Alerts } from '../../ops/control-plane.ts'
import { atLeastOne } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { age } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { addAcknowledge, addSnooze } from './marks.ts'
import { addRedeliver, addSent } from './sent.ts'
import { addExtend, addSilence, addSilences, addUnsilence } from './silences.ts'

type Alert = Awaited<ReturnType<Alerts['show']>>

interface AlertsOptions extends PlaneOptions, ListOptions {
  readonly all?: boolean
  readonly limit: number
}

export function addAlerts(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const alerts = parent.command('alerts').description('What the control plane alerts about, and who is told.')
  for (const add of [addList, addAcknowledge, addSnooze, addSilence, addSilences, addExtend, addUnsilence, addSent, addRedeliver])
    add(alerts, terminal, end)
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list', { isDefault: true })
    .summary('lists alerts that are not over')
    .description('Lists alerts that are not over, those that changed last first.')
    .option('--all', 'also those that are over')
    .option('--limit <n>', 'at most so many', atLeastOne, 200)
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive alerts\n  redrive alerts list --all --json')
    .action(async (options: AlertsOptions) => end(await atDesk(options, terminal, (desk) => list(desk, options))))
}

async function list({ plane, terminal }: Desk, options: AlertsOptions): Promise<number> {
  const found = await plane.alerts.list({ which: options.all ? 'all' : 'open', limit: options.limit })
  printList('alerts', found, columnsAt(terminal.clock.now()), options, terminal)
  if (found.length === 0 && !options.json && !options.jsonl) terminal.out('no alerts\n')
  return exitCodes.done
}

function columnsAt(now: number): readonly Column<Alert>[] {
  return [
    { head: 'ID', cell: ({ fingerprint }) => fingerprint.slice(0, shownDigits) },
    { head: 'SEVERITY', cell: ({ severity }) => severity.toUpperCase(), style: styleOf },
    { head: 'STATE', cell: stateOf, style: styleOf },
    { head: 'SINCE', cell: ({ changedAt }) => age(changedAt, now), align: 'right' },
    { head: 'RULE', cell: ({ rule }) => rule },
    { head: 'SOURCE', cell: whereOf, gives: true },
    { head: 'SAYS', cell: ({ message }) => message, gives: true },
  ]
}

/** Enough to tell one from another, and to name it to a command. */
const shownDigits = 12

function stateOf({ phase, unknownSince, acknowledged, snoozed, mutedBy, isFlapping }: Alert): string {
  const more = [
    unknownSince !== null && 'unknown',
    isFlapping && 'flapping',
    acknowledged && `acknowledged by ${acknowledged.by}`,
    snoozed && 'snoozed',
    mutedBy === 'inhibition' && 'explained by another',
    mutedBy === 'silence' && !snoozed && 'silenced',
  ].filter((part) => part !== false && part !== null)
  return more.length === 0 ? phase : `${phase} (${more.join(', ')})`
}

function styleOf({ phase, severity, isFlapping }: Alert): 'red' | 'yellow' | 'dim' {
  if (phase === 'ok' && !isFlapping) return 'dim'
  return phase === 'firing' && severity === 'critical' ? 'red' : 'yellow'
}

function whereOf({ source, queue, consumerGroup, sink, replay }: Alert): string {
  if (sink !== null) return sink
  if (replay !== null) return `replay ${replay}`
  if (queue === null) return source
  return `${source}/${queue}${consumerGroup === null ? '' : ` (${consumerGroup})`}`
}
