import type { Command } from 'commander'
import { confirm } from '../output/confirm.ts'
import { many } from '../output/times.ts'
import type { Terminal } from '../terminal.ts'
import { type ManyOptions, manyCommand } from './change-many.ts'

export function addRestore(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  manyCommand<ManyOptions>(parent, 'restore', terminal, end, {
    done: 'restored',
    otherwise: 'only a discarded letter can be restored',
    ask: (at, letters, { yes }) => confirm(at, `Restore ${many(letters, 'letter')}?`, yes),
    act: (plane, letters, by) => plane.letters.restore({ letters }, by),
  })
    .summary('brings discarded letters back')
    .description('Brings discarded letters back: they are open again.')
    .option('--yes', 'does not ask')
    .addHelpText('after', '\nExamples:\n  redrive restore state:discarded channel:orders')
}
