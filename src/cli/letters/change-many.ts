import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { By, Counted, Selection } from '../../ops/control-plane.ts'
import { filterArgument, lettersOption, selectionOf } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { many } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { frozen } from './frozen.ts'

export interface ManyOptions extends PlaneOptions {
  readonly letters?: readonly number[]
  readonly yes?: boolean
  readonly confirm?: string
}

/** Something that is done to many letters at once. */
export interface Change<Options extends ManyOptions> {
  readonly done: string
  /** Why it may not have been done to some of them. */
  readonly otherwise: string
  readonly ask: (terminal: Terminal, letters: number, options: Options) => Promise<void>
  readonly act: (plane: Desk['plane'], letters: readonly number[], by: By, options: Options) => Promise<Counted>
}

export function manyCommand<Options extends ManyOptions>(
  parent: Command,
  name: string,
  terminal: Terminal,
  end: (status: number) => void,
  change: Change<Options>,
): Command {
  return planeCommand(parent, name)
    .argument(...filterArgument)
    .option(...lettersOption)
    .action(async (filter: readonly string[], options: Options) =>
      end(await atDesk(options, terminal, (desk) => changeMany(selectionOf(filter, options.letters), desk, options, change))),
    )
}

async function changeMany<Options extends ManyOptions>(
  selection: Selection,
  desk: Desk,
  options: Options,
  { done, otherwise, ask, act }: Change<Options>,
): Promise<number> {
  const letters = await frozen(selection, desk)
  if (letters.length === 0) throw new RedriveError('nothing-to-do', 'No letter matches the filter.')
  await ask(desk.terminal, letters.length, options)
  const counted = await act(desk.plane, letters, desk.by, options)
  const left = letters.length - counted.letters
  if (options.json) desk.terminal.out(`${visibleJson({ selected: letters.length, [done]: counted.letters })}\n`)
  else desk.terminal.out(`${many(counted.letters, 'letter')} ${done}${left > 0 ? `; ${left} not: ${otherwise}` : ''}\n`)
  return counted.letters === 0 ? exitCodes.nothing : exitCodes.done
}
