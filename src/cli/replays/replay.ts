// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are placeholders that people write on the command line

import type { Command } from 'commander'
import { cutToLength } from '../../core/cut.ts'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { Selection } from '../../ops/control-plane.ts'
import { filterArgument, lettersOption, repeated, selectionOf } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { frozen } from '../letters/frozen.ts'
import { confirm } from '../output/confirm.ts'
import { many } from '../output/times.ts'
import { connectionOption } from '../plane/connections.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { follow } from './follow.ts'
import { describeReplay } from './outcome.ts'
import { type Preview, previewLines } from './preview.ts'
import { type StartTimeOptions, startTimeOf, withStartTime } from './start-time.ts'
import { type WishOptions, wishesOf, withWishes } from './wishes.ts'

interface ReplayOptions extends PlaneOptions, WishOptions, StartTimeOptions {
  readonly letters?: readonly number[]
  readonly name?: string
  readonly originals?: boolean
  readonly dryRun?: boolean
  readonly prepare?: boolean
  readonly yes?: boolean
}

const longestName = 200

export function addReplay(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const command = planeCommand(parent, 'replay')
    .argument(...filterArgument)
    .summary('sends letters back to where they died')
    .description(
      'Sends letters back to the consumer that gave them up: shows what it would do, asks, and starts with one. What is sent is exactly what was shown.',
    )
    .option(...lettersOption)
  withStartTime(withWishes(command))
    .option('--originals', 'as they died, also where somebody edited them; else the newest edit goes')
    .option('--name <text>', 'what it is for; it stands in the history of each letter')
    .option('--dry-run', 'only shows what it would do')
    .option('--prepare', 'seals it and does not start it; replay-status --start does')
    .option('--yes', 'does not ask')
    .option(...connectionOption, repeated)
    .addHelpText(
      'after',
      '\nOn a vault file this command sends the letters itself, and looks for those that come back where they were collected.' +
        '\nWithout a report of a consumer nobody knows that a letter was processed: it is assumed when it has not come back.' +
        '\nCtrl-C pauses. With --at or --in it is sealed now, and started then by the control plane that works on the vault.' +
        '\n\nExamples:\n  redrive replay cause:3f2a --dry-run\n  redrive replay cause:3f2a --connection shop=rabbitmq:\'${RABBITMQ_URL}\' --name "card fix 2.4.1"' +
        '\n  redrive replay --letters 1,2,3 --to shop/orders.retry --connection shop=embedded:queue.db --rate 5 --yes',
    )
    .action(async (filter: readonly string[], options: ReplayOptions) =>
      end(
        await atDesk(options, terminal, (desk) => replay(selectionOf(filter, options.letters), desk, options), { brokers: true }),
      ),
    )
}

async function replay(selection: Selection, desk: Desk, options: ReplayOptions): Promise<number> {
  const { plane, terminal, by } = desk
  const wishes = wishesOf(options)
  const at = startTimeOf(options, terminal.clock.now())
  const letters = await frozen(selection, desk)
  if (letters.length === 0) throw new RedriveError('nothing-to-do', 'No letter matches the filter.')
  const preview = await plane.replays.preview({ letters }, wishes)
  const edits = options.originals ? new Map<number, number>() : await plane.letters.newestEdits(letters)
  showPreview(preview, edits, terminal, options)
  if (options.dryRun) return preview.letters === 0 ? exitCodes.nothing : exitCodes.done
  if (preview.letters === 0) throw new RedriveError('nothing-to-do', 'None of the selected letters can be replayed.')
  const connections = new Set(preview.destinations.map(({ destination }) => destination.connection))
  const runsHere = !options.prepare && at === undefined
  if (runsHere) await desk.prepareToRun([...connections])
  await confirm(terminal, `Send ${many(preview.letters, 'letter')}?`, options.yes)
  const name = options.name ?? nameOf(selection)
  // By their ids: what came meanwhile was not shown.
  const sealed = await plane.replays.seal({ letters }, { ...wishes, edits, name, ...by })
  if (!runsHere) {
    const waiting = at === undefined ? sealed : await plane.replays.schedule(sealed.replay.id, { at, ...by })
    terminal.out(options.json ? `${visibleJson(waiting)}\n` : describeReplay(waiting, terminal))
    return exitCodes.done
  }
  await plane.replays.start(sealed.replay.id, by)
  return follow(sealed.replay.id, desk, options.json)
}

function nameOf(selection: Selection): string {
  return cutToLength('filter' in selection ? selection.filter : `letters ${selection.letters.join(', ')}`, longestName)
}

/** With `--json` the preview is the document of a dry run; before a replay it would be a second one. */
function showPreview(
  preview: Preview,
  edits: ReadonlyMap<number, number>,
  terminal: Terminal,
  { json, dryRun }: ReplayOptions,
): void {
  if (!json) terminal.out(`${previewLines(preview, edits.size).join('\n')}\n`)
  else if (dryRun) terminal.out(`${visibleJson({ ...preview, edits: Object.fromEntries(edits) })}\n`)
}
