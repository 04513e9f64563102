import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { confirmTyped } from '../output/confirm.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

interface EraseOptions extends PlaneOptions {
  readonly confirm?: string
}

export function addErase(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'erase')
    .argument('<letter>', 'the id of the letter', wholeNumber)
    .summary('shreds what a letter holds')
    .description(
      'Shreds what a letter holds: its body, headers, edits and what a search could find. That there was one stays known.',
    )
    .option('--confirm <id>', 'the id of the letter once more, instead of being asked to type it')
    .addHelpText('after', '\nExamples:\n  redrive erase 4711\n  redrive erase 4711 --confirm 4711')
    .action(async (letter: number, options: EraseOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          await plane.letters.show(letter)
          await confirmTyped(terminal, `This shreds letter ${letter} for good.`, String(letter), options.confirm)
          await plane.letters.erase(letter, by)
          terminal.out(options.json ? `${visibleJson({ letter, erased: true })}\n` : `letter ${letter} is erased\n`)
          return exitCodes.done
        }),
      ),
    )
}
