import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { confirm } from '../output/confirm.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

export function addForget(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'forget')
    .argument('<id>', 'the id of the consumer', wholeNumber)
    .summary('forgets one that will not come back')
    .description(
      'Forgets a consumer that will not come back. What lies in its spool is on its own disk, and stays there: look after it first.',
    )
    .option('--yes', 'does not ask')
    .addHelpText('after', '\nExamples:\n  redrive consumers forget 12')
    .action(async (id: number, options: PlaneOptions & { readonly yes?: boolean }) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          await confirm(terminal, `Forget consumer ${id}?`, options.yes)
          await plane.consumers.forget(id, by)
          terminal.out(options.json ? `${visibleJson({ id, forgotten: true })}\n` : `consumer ${id} is forgotten\n`)
          return exitCodes.done
        }),
      ),
    )
}
