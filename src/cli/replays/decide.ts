import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { type ManyOptions, manyCommand } from '../letters/change-many.ts'
import { confirm } from '../output/confirm.ts'
import { many } from '../output/times.ts'
import type { Terminal } from '../terminal.ts'

interface DecideOptions extends ManyOptions {
  readonly arrived?: boolean
  readonly lost?: boolean
}

export function addDecide(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  manyCommand<DecideOptions>(parent, 'decide', terminal, end, {
    done: 'decided',
    otherwise: 'only a letter that is unknown has to be decided about',
    ask: (at, letters, options) => confirm(at, questionOf(letters, options), options.yes),
    act: (plane, letters, by, options) => plane.replays.decideUnknown(letters, verdictOf(options), by),
  })
    .summary('says what became of letters that are unknown')
    .description(
      'A replay that was cut off may or may not have sent what it was just sending: those letters are unknown until a person has looked.',
    )
    .option('--arrived', 'they were sent: they are taken to have succeeded')
    .option('--lost', 'they were not sent: they are open again, and a replay may send them')
    .option('--yes', 'does not ask')
    .addHelpText(
      'after',
      '\nExamples:\n  redrive letters state:unknown\n  redrive decide --letters 17 --arrived\n  redrive decide state:unknown replay:3 --lost',
    )
}

function verdictOf({ arrived, lost }: DecideOptions): 'assumed' | 'open' {
  if (arrived === lost) throw new RedriveError('bad-option', 'Say what became of them: --arrived or --lost.')
  return arrived ? 'assumed' : 'open'
}

function questionOf(letters: number, options: DecideOptions): string {
  if (verdictOf(options) === 'assumed') return `Take ${many(letters, 'letter')} to have arrived?`
  return `Open ${many(letters, 'letter')} again? One that did arrive is then processed twice.`
}
