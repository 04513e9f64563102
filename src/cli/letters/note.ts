import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'

export function addNote(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'note')
    .argument('<letter>', 'the id of the letter', wholeNumber)
    .argument('<text...>', 'what to remember')
    .summary('writes a note to a letter')
    .description('Writes a note to a letter. It stays through every replay.')
    .addHelpText('after', '\nExamples:\n  redrive note 4711 asked the customer for another card')
    .action(async (letter: number, words: readonly string[], options: PlaneOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane, by }) => {
          await plane.letters.note(letter, words.join(' '), by)
          terminal.out(options.json ? `${visibleJson({ letter, noted: true })}\n` : `letter ${letter} has the note\n`)
          return exitCodes.done
        }),
      ),
    )
}
