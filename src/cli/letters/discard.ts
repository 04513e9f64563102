import type { Command } from 'commander'
import { confirm } from '../output/confirm.ts'
import { many } from '../output/times.ts'
import type { Terminal } from '../terminal.ts'
import { type ManyOptions, manyCommand } from './change-many.ts'

export function addDiscard(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  manyCommand<ManyOptions>(parent, 'discard', terminal, end, {
    done: 'discarded',
    otherwise: 'only an open letter can be discarded',
    ask: (at, letters, { yes }) => confirm(at, `Discard ${many(letters, 'letter')}?`, yes),
    act: (plane, letters, by) => plane.letters.discard({ letters }, by),
  })
    .summary('puts letters out of sight; restore brings them back')
    .description('Puts open letters out of sight. They can be restored until retention takes them.')
    .option('--yes', 'does not ask')
    .addHelpText('after', '\nExamples:\n  redrive discard cause:3f2a age\\>7d\n  redrive discard --letters 1,2,3 --yes')
}
