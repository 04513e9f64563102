import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { ReplayDetail, Replays } from '../../ops/control-plane.ts'
import { repeated, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import { styleOfState } from '../output/paint.ts'
import type { Column } from '../output/table.ts'
import { connectionOption } from '../plane/connections.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { follow } from './follow.ts'
import { describeReplay, exitCodeOfReplay } from './outcome.ts'
import { placeOf } from './preview.ts'
import { type StartTimeOptions, startTimeOf, withStartTime } from './start-time.ts'

const verbs = ['start', 'pause', 'resume', 'cancel'] as const

interface StatusOptions
  extends PlaneOptions,
    ListOptions,
    StartTimeOptions,
    Readonly<Partial<Record<(typeof verbs)[number], boolean>>> {
  readonly failures?: boolean
}

export function addReplayStatus(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  withStartTime(planeCommand(parent, 'replay-status'))
    .argument('<id>', 'the id of the replay', wholeNumber)
    .summary('shows one replay; pauses, resumes or cancels it')
    .description(
      'Shows how a replay stands, or pauses, resumes or cancels it. Sent, succeeded, assumed, returned, unknown and refused are numbers of their own.',
    )
    .option('--start', 'starts one that was prepared')
    .option('--pause', 'sends no more until it is resumed')
    .option('--resume', 'goes on, also after it stopped by itself')
    .option('--cancel', 'ends it; what was not sent is open again')
    .option('--failures', 'lists the letters that came back, were refused or are unknown')
    .option(...jsonlOption)
    .option(...connectionOption, repeated)
    .addHelpText(
      'after',
      '\nExamples:\n  redrive replay-status 3\n  redrive replay-status 3 --failures --jsonl\n  redrive replay-status 3 --resume --connection shop=embedded:queue.db',
    )
    .action(async (id: number, options: StatusOptions) =>
      end(await atDesk(options, terminal, (desk) => status(id, desk, options), { brokers: true })),
    )
}

async function status(id: number, desk: Desk, options: StatusOptions): Promise<number> {
  const { plane, terminal, by } = desk
  const wanted = verbs.filter((verb) => options[verb])
  if (wanted.length > 1) throw new RedriveError('bad-option', `Only one of ${verbs.map((verb) => `--${verb}`).join(', ')}.`)
  const [verb] = wanted
  const at = startTimeOf(options, terminal.clock.now())
  if (options.failures) {
    const said = at === undefined ? verb && `--${verb}` : 'a time'
    if (said) throw new RedriveError('bad-option', `--failures only lists. Give it or ${said}, and not both.`)
    return listFailures(id, desk, options)
  }
  if (at !== undefined && verb) throw new RedriveError('bad-option', `Give a time or --${verb}, and not both.`)
  if (at !== undefined) await plane.replays.schedule(id, { at, ...by })
  // One replay is one line.
  const isJson = options.json || options.jsonl
  if (verb === 'start' || verb === 'resume') {
    await desk.prepareToRun(await connectionsOf(id, plane.replays))
    await plane.replays[verb](id, by)
    return follow(id, desk, isJson)
  }
  const detail = verb ? await plane.replays[verb](id, by) : await plane.replays.show(id)
  terminal.out(isJson ? `${visibleJson(detail)}\n` : describeReplay(detail, terminal))
  return verb ? exitCodes.done : exitCodeOfReplay(detail)
}

/** As many as a server gives at once. */
const page = 200

type Line = Awaited<ReturnType<Replays['ledger']>>[number]
type LineState = keyof ReplayDetail['counts']

async function linesOf(replay: number, replays: Desk['plane']['replays'], state: LineState): Promise<readonly Line[]> {
  const found: Line[] = []
  for (let after = -1; ; ) {
    const lines = await replays.ledger({ replay, state, after, limit: page })
    found.push(...lines)
    const last = lines.at(-1)
    if (!last || lines.length < page) return found
    after = last.seq
  }
}

/** Where what is still to be sent goes. */
async function connectionsOf(replay: number, replays: Desk['plane']['replays']): Promise<readonly string[]> {
  const lines = await linesOf(replay, replays, 'planned')
  return [...new Set(lines.map(({ destination }) => destination.connection))]
}

async function listFailures(id: number, { plane, terminal }: Desk, options: StatusOptions): Promise<number> {
  await plane.replays.show(id)
  const failures: Line[] = []
  for (const state of ['returned', 'unknown', 'refused'] as const) failures.push(...(await linesOf(id, plane.replays, state)))
  printList('failures', failures, columns, options, terminal)
  if (failures.length === 0 && !options.json && !options.jsonl) terminal.out('no letter has failed\n')
  return failures.length === 0 ? exitCodes.done : exitCodes.findings
}

const columns: readonly Column<Line>[] = [
  { head: 'LETTER', cell: ({ letter }) => letter, align: 'right' },
  { head: 'OUTCOME', cell: ({ state }) => state, style: ({ state }) => styleOfState(state) },
  { head: 'IS NOW', cell: ({ letterState }) => letterState, style: ({ letterState }) => styleOfState(letterState) },
  { head: 'TO', cell: ({ destination }) => placeOf(destination) },
  { head: 'PROBLEM', cell: ({ problem }) => problem, gives: true },
]
