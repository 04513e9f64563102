import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { CauseDetail } from '../../ops/control-plane.ts'
import { type NamedCause, namedCause } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { fieldsOf, section } from '../output/fields.ts'
import { age, timestamp } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { partsOf, shortFingerprint } from './causes.ts'
import { saidOf } from './regroup.ts'

interface CauseOptions extends PlaneOptions {
  readonly acknowledge?: boolean
  readonly resolve?: boolean
  readonly fixedIn?: string
  readonly archive?: boolean
  readonly reopen?: boolean
  /** `false` with `--no-owner`. */
  readonly owner?: string | false
  readonly note?: string
}

type State = CauseDetail['cause']['state']

const judgements = [
  ['acknowledge', 'acknowledged'],
  ['resolve', 'resolved'],
  ['archive', 'archived'],
  ['reopen', 'open'],
] as const satisfies readonly (readonly [keyof CauseOptions, State])[]

export function addCause(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'cause')
    .argument('<cause>', 'its id, or the beginning of its fingerprint, as redrive causes and alerts name it', namedCause)
    .summary('shows one cause, and says what you think of it')
    .description(
      'Shows one cause: why its letters are one, when they came, who looks after it. With options it changes that first.',
    )
    .option('--acknowledge', 'somebody is at it')
    .option('--resolve', 'it is mended; a new letter opens it again')
    .option('--fixed-in <version>', 'with --resolve: letters from older versions do not open it again')
    .option('--archive', 'out of sight, until it has more unresolved letters than now')
    .option('--reopen', 'it is not mended after all')
    .option('--owner <name>', 'who looks after it')
    .option('--no-owner', 'nobody does')
    .option('--note <text>', 'what to remember')
    .addHelpText(
      'after',
      '\nExamples:\n  redrive cause 7\n  redrive cause 7 --owner ana --acknowledge --note "the bank is down"\n  redrive cause 7 --resolve --fixed-in 2.4.1\n  redrive cause cause:3f2a9c01',
    )
    .action(async (named: NamedCause, options: CauseOptions) =>
      end(
        await atDesk(options, terminal, async (desk) => {
          const id = 'id' in named ? named.id : await idOf(named.fingerprint, desk)
          await change(id, desk, options)
          const detail = await desk.plane.causes.show(id)
          terminal.out(options.json ? `${visibleJson(detail)}\n` : describe(detail, terminal))
          return exitCodes.done
        }),
      ),
    )
}

/** The cause whose own fingerprint it is, before those under which some of its letters stand. */
async function idOf(fingerprint: string, { plane }: Desk): Promise<number> {
  const { causes } = await plane.causes.list({ filter: `cause:${fingerprint}`, limit: mostNamed })
  const own = causes.filter((cause) => cause.fingerprint.replace(/^v\d+:/, '').startsWith(fingerprint))
  const [found, ...others] = own.length > 0 ? own : causes
  if (!found) throw new RedriveError('not-found', `No cause has letters with the fingerprint ${fingerprint}.`)
  if (others.length === 0) return found.id
  const ids = [found, ...others].map(({ id }) => id)
  throw new RedriveError('bad-option', `${fingerprint} means several causes: ${ids.join(', ')}. Name one by its id.`)
}

const mostNamed = 10

async function change(id: number, { plane, by }: Desk, options: CauseOptions): Promise<void> {
  const { fixedIn, owner, note } = options
  const wanted = judgements.filter(([option]) => options[option])
  if (wanted.length > 1)
    throw new RedriveError('bad-option', `Only one of ${judgements.map(([option]) => `--${option}`).join(', ')}.`)
  if (fixedIn !== undefined && !options.resolve) throw new RedriveError('bad-option', '--fixed-in goes with --resolve.')
  const [judgement] = wanted
  if (judgement) await plane.causes.judge(id, { state: judgement[1], ...(fixedIn !== undefined && { fixedIn }), ...by })
  if (owner !== undefined) await plane.causes.own(id, { owner: owner === false ? null : owner, ...by })
  if (note !== undefined) await plane.causes.note(id, note, by)
}

function describe(detail: CauseDetail, terminal: Terminal): string {
  const { cause, notes, members, history } = detail
  const now = terminal.clock.now()
  const parts = partsOf(cause)
  return [
    fieldsOf(
      [
        ['cause', `${cause.id} ${cause.title}`],
        ['stands under', cause.mergedInto === null ? null : String(cause.mergedInto)],
        ['state', `${cause.state}, since ${timestamp(cause.stateSince)}`],
        ['fixed in', cause.fixedIn],
        ['came back', cause.regressedAt === null ? null : timestamp(cause.regressedAt)],
        ['owner', cause.owner],
        ['letters', `${cause.unresolved} unresolved of ${cause.total}`],
        ['first', `${timestamp(cause.firstAt)} (${age(cause.firstAt, now)} ago)`],
        ['last', `${timestamp(cause.lastAt)} (${age(cause.lastAt, now)} ago)`],
        ['last version', cause.lastVersion],
        ['channel', parts?.channel],
        ['place', parts?.place ? `${parts.place.function} in ${parts.place.module}` : null],
        ['grouped by', parts?.groupedBy.join(', ')],
        ['last week', sparkline(history, now)],
        ['filter', `under:${cause.id}`],
        ['fingerprint', shortFingerprint(cause.fingerprint)],
      ],
      terminal,
    ),
    section(
      'Merged into it',
      members.map(({ id, title, unresolved, total }) => shown(`${id} ${title}: ${unresolved} unresolved of ${total}`)),
      terminal,
    ),
    section('Decisions', saidOf(detail), terminal),
    section(
      'Notes',
      notes.map((note) => shown(`${timestamp(note.madeAt)} ${note.actor}${onOther(note, cause.id)}: ${note.text}`)),
      terminal,
    ),
  ].join('')
}

function onOther({ cause }: CauseDetail['notes'][number], here: number): string {
  return cause === here ? '' : ` on cause ${cause}`
}

const bars = '▁▂▃▄▅▆▇█'
const hour = 3_600_000
const columns = 28
const hoursInColumn = 6

/** Letters of the last seven days, a quarter of a day in each column. */
function sparkline(history: CauseDetail['history'], now: number): string | null {
  const last = Math.floor(now / hour)
  const counts = Array.from({ length: columns }, () => 0)
  for (const { hour: at, letters } of history) {
    const column = columns - 1 - Math.floor((last - at) / hoursInColumn)
    if (column >= 0 && column < columns) counts[column] = (counts[column] ?? 0) + letters
  }
  const most = Math.max(...counts)
  if (most === 0) return null
  return counts.map((count) => (count === 0 ? '·' : bars[Math.ceil((count / most) * bars.length) - 1])).join('')
}
