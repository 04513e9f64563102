import type { Command } from 'commander'
import type { FailedRun } from '../../core/failed-runs.ts'
import type { Message } from '../../core/message.ts'
import { visibleJson } from '../../core/visible.ts'
import type { LetterDetail } from '../../ops/control-plane.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { bodyForPeople, bodyForPrograms, headersForPrograms } from '../output/content.ts'
import { fieldsOf, section } from '../output/fields.ts'
import { age, timestamp } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { channelOf } from './channel-of.ts'
import { failureOf } from './failure-text.ts'

interface ShowOptions extends PlaneOptions {
  readonly body?: boolean
  readonly headers?: boolean
}

export function addShow(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'show')
    .argument('<letter>', 'the id of the letter', wholeNumber)
    .summary('shows one letter: why it died, its notes, edits and replays')
    .description(
      'Shows one letter: where it came from, why it died, its notes, edits and replays. What is in it only when asked for.',
    )
    .option('--headers', 'its headers too')
    .option('--body', 'its body too')
    .addHelpText(
      'after',
      '\nExamples:\n  redrive show 4711\n  redrive show 4711 --headers --body\n  redrive show 4711 --body --json | jq -r .body.text',
    )
    .action(async (letter: number, options: ShowOptions) =>
      end(await atDesk(options, terminal, (desk) => show(letter, desk, options))),
    )
}

async function show(id: number, { plane, terminal }: Desk, options: ShowOptions): Promise<number> {
  const detail = { ...(await plane.letters.show(id)), failedRuns: await plane.letters.failedRuns(id) }
  const message = options.body || options.headers ? await plane.letters.content(id) : undefined
  if (options.json) terminal.out(`${visibleJson({ ...detail, ...content(message, options) })}\n`)
  else for (const part of [...about(detail, terminal), ...contentLines(message, options, terminal)]) terminal.out(part)
  return exitCodes.done
}

function content(message: Message | undefined, { body, headers }: ShowOptions): object {
  if (!message) return {}
  return { ...(headers && { headers: headersForPrograms(message) }), ...(body && { body: bodyForPrograms(message.body) }) }
}

function contentLines(message: Message | undefined, { body, headers }: ShowOptions, terminal: Terminal): readonly string[] {
  if (!message) return []
  const lines = headersForPrograms(message).map(([name, value]) =>
    shown(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
  )
  return [
    ...(headers ? [section('Headers', lines, terminal)] : []),
    ...(body ? [section('Body', bodyForPeople(message.body), terminal)] : []),
  ]
}

function about(
  { letter, failedRuns, source, cause, notes, edits, replays }: LetterDetail & { readonly failedRuns: readonly FailedRun[] },
  terminal: Terminal,
): readonly string[] {
  const now = terminal.clock.now()
  return [
    fieldsOf(
      [
        ['letter', letter.id],
        ['state', letter.state],
        ['error', failureOf(letter)],
        ['reason', letter.reason],
        ['cause', `${cause.id} ${cause.title} (${cause.state})`],
        ['failed', `${timestamp(letter.failedAt)} (${age(letter.failedAt, now)} ago)`],
        ['found', timestamp(letter.receivedAt)],
        ['source', `${source.connection} / ${channelOf(source)}`],
        ['came from', letter.channel],
        ['group', letter.originGroup],
        ['position', letter.originPosition],
        ['service', letter.service],
        ['version', letter.version],
        ['attempts', letter.attempts],
        ['generation', letter.generation === 0 ? null : letter.generation],
        ['type', letter.type],
        ['key', letter.key],
        ['correlation', letter.correlationId],
        ['message id', letter.messageId],
        ['size', `${letter.bytes} bytes`],
        ["broker's copy", lossOf(letter.brokerDropsAt, now)],
        ['dialect', `${letter.dialect} (${letter.confidence})`],
      ],
      terminal,
    ),
    section('Failed runs', failedRuns.map(failedRunLine), terminal),
    section(
      'Notes',
      notes.map(({ madeAt, actor, text }) => shown(`${timestamp(madeAt)} ${actor}: ${text}`)),
      terminal,
    ),
    section(
      'Edits',
      edits.map(({ id, madeAt, actor }) => shown(`${timestamp(madeAt)} ${actor}: edit ${id}`)),
      terminal,
    ),
    section('Replays', replays.map(replayLine), terminal),
  ]
}

/** The letter itself stays: what is shown here is in the vault. */
function lossOf(dropsAt: number | null, now: number): string | null {
  if (dropsAt === null) return null
  if (dropsAt <= now) return `may be gone since ${timestamp(dropsAt)}; the vault has one`
  return `goes ${timestamp(dropsAt)} at the earliest (in ${age(now, dropsAt)}); the vault has one`
}

function failedRunLine({ attempt, at, errorType, description }: FailedRun): string {
  return shown(`${timestamp(at)} attempt ${attempt}: ${errorType}: ${description}`)
}

function replayLine({ replay, state, at, problem, destination }: LetterDetail['replays'][number]): string {
  const to = `${destination.connection} / ${destination.channel}`
  return shown(`${timestamp(at)} replay ${replay} to ${to}: ${state}${problem === null ? '' : ` (${problem})`}`)
}
