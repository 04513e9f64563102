import type { Command } from 'commander'
import { confirmTyped } from '../output/confirm.ts'
import { many } from '../output/times.ts'
import type { Terminal } from '../terminal.ts'
import { type ManyOptions, manyCommand } from './change-many.ts'

export function addPurge(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  manyCommand<ManyOptions>(parent, 'purge', terminal, end, {
    done: 'purged',
    otherwise: 'a letter that is on its way cannot be purged',
    ask: (at, letters, { confirm: given }) =>
      confirmTyped(at, `This removes ${many(letters, 'letter')} for good.`, String(letters), given),
    act: (plane, letters, by) => plane.letters.purge({ letters }, by),
  })
    .summary('removes letters for good')
    .description(
      'Removes letters for good, with all they hold. Only that they were there is remembered, so that a copy on the broker is not taken for a new one.',
    )
    .option('--confirm <n>', 'the number of letters, instead of being asked to type it')
    .addHelpText('after', '\nExamples:\n  redrive purge state:discarded age\\>30d\n  redrive purge state:discarded --confirm 42')
}
