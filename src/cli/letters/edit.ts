import { Buffer } from 'node:buffer'
import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { printExactly } from '../../core/exact-json.ts'
import { withHeaders, withoutHeaders } from '../../core/headers.ts'
import type { Headers, Message } from '../../core/message.ts'
import { visible, visibleJson } from '../../core/visible.ts'
import { repeated, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { confirm } from '../output/confirm.ts'
import { headersForPrograms, textOf } from '../output/content.ts'
import { diffOf } from '../output/diff.ts'
import { paintFor } from '../output/paint.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { type BodyOptions, jsonOf, newBody } from './new-body.ts'

interface EditOptions extends PlaneOptions, BodyOptions {
  readonly setHeader?: readonly string[]
  readonly removeHeader?: readonly string[]
  readonly yes?: boolean
}

export function addEdit(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'edit')
    .argument('<letter>', 'the id of the letter', wholeNumber)
    .summary('makes a changed copy of a letter, which a replay sends instead')
    .description(
      'Makes a changed copy of an open letter, shows what differs and asks. The original stays; a replay sends the newest copy unless told otherwise.',
    )
    .option('--body-file <file>', 'the new body')
    .option('--json-patch <file>', 'changes a JSON body by a patch (RFC 6902); other numbers stay as they were written')
    .option('--set-header <name=value>', 'gives a header this value; may be repeated', repeated)
    .option('--remove-header <name>', 'takes a header away; may be repeated', repeated)
    .option('--yes', 'does not ask')
    .addHelpText(
      'after',
      '\nWithout any of these the body opens in $VISUAL or $EDITOR.' +
        '\n\nExamples:\n  redrive edit 4711\n  redrive edit 4711 --json-patch fix.json --yes\n  redrive edit 4711 --set-header tenant=acme && redrive replay --letters 4711',
    )
    .action(async (letter: number, options: EditOptions) =>
      end(await atDesk(options, terminal, (desk) => edit(letter, desk, options))),
    )
}

async function edit(id: number, { plane, terminal, by }: Desk, options: EditOptions): Promise<number> {
  const before = await plane.letters.content(id)
  const headers = changedHeaders(before.headers, options)
  const inEditor = headers === before.headers && options.bodyFile === undefined && options.jsonPatch === undefined
  const after = { ...before, headers, body: await newBody(before.body, options, inEditor, terminal) }
  const lines = differences(before, after, terminal)
  if (lines.length === 0) throw new RedriveError('nothing-to-do', `Letter ${id} is already so.`)
  const show = options.json ? terminal.err : terminal.out
  show(`${lines.join('\n')}\n`)
  await confirm(terminal, `Keep this as an edit of letter ${id}?`, options.yes)
  const kept = await plane.letters.edit(id, { body: after.body, headers, ...by })
  if (options.json) terminal.out(`${visibleJson({ letter: id, edit: kept.id })}\n`)
  else terminal.out(`edit ${kept.id} of letter ${id}; redrive replay --letters ${id} sends it\n`)
  return exitCodes.done
}

function changedHeaders(headers: Headers, { setHeader = [], removeHeader = [] }: EditOptions): Headers {
  const set = setHeader.map((text) => {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name === '') throw new RedriveError('bad-option', '--set-header needs name=value.')
    return [name, value] as const
  })
  return withHeaders(
    withoutHeaders(headers, (name) => removeHeader.includes(name)),
    set,
  )
}

function differences(before: Message, after: Message, terminal: Terminal): readonly string[] {
  const paint = paintFor(terminal)
  const isSameBody =
    Buffer.compare(before.body ?? Buffer.alloc(0), after.body ?? Buffer.alloc(0)) === 0 &&
    (before.body === null) === (after.body === null)
  const lines = [
    ...diffOf(headerLines(before), headerLines(after)),
    ...(isSameBody ? [] : diffOf(...bodyTexts(before.body, after.body))),
  ]
  if (lines.every(([mark]) => mark === ' ')) return []
  return lines.map(([mark, line]) => paint(mark === '-' ? 'red' : mark === '+' ? 'green' : undefined, `${mark} ${visible(line)}`))
}

function headerLines(message: Message): string {
  return headersForPrograms(message)
    .map(([name, value]) => `${visible(name)}: ${visible(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join('\n')
}

/** JSON is compared in lines of its own; where that hides the difference, and where it is none, the bodies as they are. */
function bodyTexts(before: Uint8Array | null, after: Uint8Array | null): [string, string] {
  const [one, other] = [readable(before), readable(after)]
  return one === other ? [plain(before), plain(after)] : [one, other]
}

function readable(body: Uint8Array | null): string {
  const json = body === null ? undefined : jsonOf(textOf(body) ?? '')
  return json === undefined ? plain(body) : printExactly(json, 2)
}

function plain(body: Uint8Array | null): string {
  if (body === null) return '(no body)'
  return textOf(body) ?? `(${body.byteLength} bytes that are no text: ${Buffer.from(body).toString('base64')})`
}
