import { mkdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { originalOf } from '../../core/dialects/original.ts'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { fixtureOf, reproTest } from './repro-files.ts'

interface ReproOptions extends PlaneOptions {
  readonly into: string
  readonly consumer: string
}

export function addRepro(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'repro')
    .argument('<letter>', 'the id of the letter', wholeNumber)
    .summary('writes a test that runs your handler on a letter')
    .description(
      'Writes a test that runs your handler on a letter, as it was before it died: its body, the rest of it, and a small test for vitest. Overwrites nothing.',
    )
    .option('--into <folder>', 'where to', 'repro')
    .option('--consumer <module#function>', 'what declares your channels and handlers on a consumer', '../consumer.ts#declare')
    .addHelpText(
      'after',
      '\nThe files hold the payload of the letter: look at them before you commit them.' +
        '\n\nExamples:\n  redrive repro 4711\n  redrive repro 4711 --into test/letters --consumer ../../src/orders.ts#declareOrders && npx vitest run test/letters',
    )
    .action(async (letter: number, options: ReproOptions) =>
      end(await atDesk(options, terminal, (desk) => write(letter, desk, options))),
    )
}

async function write(id: number, { plane, terminal }: Desk, { into, consumer, json }: ReproOptions): Promise<number> {
  const [module = '', name = ''] = consumer.split('#')
  if (module === '' || !/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name)) {
    throw new RedriveError('bad-option', '--consumer needs module#function, such as ../src/orders.ts#declareOrders.')
  }
  const { letter } = await plane.letters.show(id)
  const message = originalOf(await plane.letters.content(id), letter.dialect)
  const folder = resolve(terminal.folder, into)
  const fixture = fixtureOf(letter.channel, message)
  const files: readonly (readonly [string, string | Uint8Array])[] = [
    [`letter-${id}.json`, `${JSON.stringify(fixture, null, 2)}\n`],
    ...(message.body === null ? [] : [[`letter-${id}.body`, message.body] as const]),
    [`letter-${id}.test.ts`, reproTest(id, module, name)],
  ]
  await mkdir(folder, { recursive: true })
  for (const [file, content] of files) await writeNew(join(folder, file), content, terminal)
  const paths = files.map(([file]) => relative(terminal.folder, join(folder, file)))
  terminal.out(
    json ? `${visibleJson({ letter: id, files: paths, leftOut: fixture.leftOut })}\n` : `${paths.map(shown).join('\n')}\n`,
  )
  if (fixture.leftOut.length > 0)
    terminal.err(`${shown(`redrive: headers that JSON cannot hold were left out: ${fixture.leftOut.join(', ')}`)}\n`)
  return exitCodes.done
}

async function writeNew(path: string, content: string | Uint8Array, terminal: Terminal): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 })
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (isThere)
      throw new RedriveError('conflict', `${relative(terminal.folder, path)} is there already; nothing is overwritten.`)
    throw new RedriveError('bad-option', `${relative(terminal.folder, path)} cannot be written.`, { cause })
  }
}
