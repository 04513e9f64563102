import type { Command } from 'commander'
import { parseDuration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { Alerts } from '../../ops/control-plane.ts'
import { exitCodes } from '../exit-codes.ts'
import { timestamp } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'

type Alert = Awaited<ReturnType<Alerts['show']>>

interface MarkOptions extends PlaneOptions {
  readonly for: string
  readonly undo?: boolean
}

interface Mark {
  readonly set: 'acknowledge' | 'snooze'
  readonly undo: 'unacknowledge' | 'unsnooze'
  readonly done: string
}

export function addAcknowledge(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  markCommand(parent, 'ack', { set: 'acknowledge', undo: 'unacknowledge', done: 'acknowledged' }, terminal, end)
    .summary('says that you are at it')
    .description('Says that you are at an alert: it is not repeated for a while, and still told when it is over.')
    .option('--for <time>', 'for how long', '8h')
    .addHelpText('after', '\nExamples:\n  redrive alerts ack 99fe75c35203\n  redrive alerts ack 99fe75c35203 --undo')
}

export function addSnooze(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  markCommand(parent, 'snooze', { set: 'snooze', undo: 'unsnooze', done: 'snoozed' }, terminal, end)
    .summary('says nothing about an alert for a while')
    .description('Says nothing about an alert for a while. When it still fires then, people are told once.')
    .option('--for <time>', 'for how long', '1h')
    .addHelpText('after', '\nExamples:\n  redrive alerts snooze 99fe75c35203 --for 2h')
}

function markCommand(parent: Command, name: string, mark: Mark, terminal: Terminal, end: (status: number) => void): Command {
  return planeCommand(parent, name)
    .argument('<id>', 'the id of the alert, as redrive alerts lists it')
    .option('--undo', 'takes it back')
    .action(async (id: string, options: MarkOptions) =>
      end(await atDesk(options, terminal, (desk) => doMark(desk, id, mark, options))),
    )
}

async function doMark(desk: Desk, id: string, mark: Mark, options: MarkOptions): Promise<number> {
  const { plane, terminal, by } = desk
  const { fingerprint } = await alertNamed(desk, id)
  const until = terminal.clock.now() + parseDuration(options.for, '--for')
  const marked = options.undo
    ? await plane.alerts[mark.undo](fingerprint, by)
    : await plane.alerts[mark.set](fingerprint, { until, ...by })
  if (options.json) terminal.out(`${visibleJson(marked)}\n`)
  else if (options.undo) terminal.out(`no longer ${mark.done}: ${shown(marked.message)}\n`)
  else terminal.out(`${mark.done} until ${timestamp(until)}: ${shown(marked.message)}\n`)
  return exitCodes.done
}

/** By its whole id, or by as much of it as only one has. */
async function alertNamed({ plane }: Desk, id: string): Promise<Alert> {
  if (!/^[0-9a-f]{4,64}$/.test(id)) throw new RedriveError('bad-option', 'An alert is named by at least 4 digits of its id.')
  const all = await plane.alerts.list({ which: 'all', limit: 1000 })
  const found = all.filter(({ fingerprint }) => fingerprint.startsWith(id))
  const [first] = found
  if (!first) throw new RedriveError('not-found', `There is no alert ${id}.`)
  if (found.length > 1) throw new RedriveError('bad-option', `${found.length} alerts begin with ${id}. Give more of it.`)
  return first
}
