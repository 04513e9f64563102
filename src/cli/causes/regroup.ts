import type { Command } from 'commander'
import { ruleFields } from '../../core/cause-routes.ts'
import { visibleJson } from '../../core/visible.ts'
import type { CauseDetail } from '../../ops/control-plane.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'

interface BecauseOptions extends PlaneOptions {
  readonly reason: string
}

const reasonOption = ['--reason <text>', 'why: whoever undoes it one day wants to know'] as const

export function addMerge(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'merge')
    .argument('<into>', 'the cause that the others are', wholeNumber)
    .argument('<others...>', 'which causes, by their numbers')
    .summary('says that several causes are one')
    .description(
      'Says that causes are another one: their letters stand under it from now on, and those that come. No letter is changed, and it can be undone.',
    )
    .requiredOption(...reasonOption)
    .addHelpText('after', '\nExamples:\n  redrive causes merge 7 9 12 --reason "the same bank, in two languages"')
    .action(async (into: number, others: readonly string[], options: BecauseOptions) =>
      end(
        await tellOf(options, terminal, ({ plane, by }) =>
          plane.causes.merge(into, { causes: others.map(wholeNumber), reason: options.reason, ...by }),
        ),
      ),
    )
}

export function addSplit(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'split')
    .argument('<id>', 'the cause', wholeNumber)
    .argument('<rule>', 'which of its letters, in the words of filters')
    .summary('says that some letters of a cause are another one')
    .description(
      `Takes letters out of a cause as one of their own: those that the rule means, now and from now on. A rule asks for what a letter keeps for ever: ${ruleFields}.`,
    )
    .option('--title <text>', 'what the new cause is called')
    .requiredOption(...reasonOption)
    .addHelpText(
      'after',
      '\nExamples:\n  redrive causes split 7 channel:refunds --reason "another service"\n  redrive causes split 7 \'"card expired"\' --title "Expired cards" --reason "nothing is broken there"',
    )
    .action(async (id: number, rule: string, options: BecauseOptions & { readonly title?: string }) =>
      end(
        await tellOf(options, terminal, ({ plane, by }) => {
          const { title, reason } = options
          return plane.causes.split(id, { rule, reason, ...(title !== undefined && { title }), ...by })
        }),
      ),
    )
}

export function addUndo(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'undo')
    .argument('<decision>', 'its number, as redrive cause shows it', wholeNumber)
    .summary('takes a merge or a split back')
    .description(
      'Takes a merge or a split back: letters stand where all that is still said puts them, also those that came since.',
    )
    .requiredOption(...reasonOption)
    .addHelpText('after', '\nExamples:\n  redrive causes undo 3 --reason "they were two after all"')
    .action(async (decision: number, options: BecauseOptions) =>
      end(await tellOf(options, terminal, ({ plane, by }) => plane.causes.undo(decision, { reason: options.reason, ...by }))),
    )
}

function tellOf(options: BecauseOptions, terminal: Terminal, work: (desk: Desk) => Promise<CauseDetail>): Promise<number> {
  return atDesk(options, terminal, async (desk) => {
    const detail = await work(desk)
    terminal.out(options.json ? `${visibleJson(detail)}\n` : told(detail))
    return exitCodes.done
  })
}

function told({ cause: { id, title, unresolved, total }, decisions: [newest] }: CauseDetail): string {
  const moving = newest?.isMoving ? ', and letters are still being moved' : ''
  const decision = newest ? ` (decision ${newest.id})` : ''
  return shown(`cause ${id} ${title}: ${unresolved} unresolved of ${total}${moving}${decision}`).concat('\n')
}

/** One line for each: who said it, and why; where it was undone, by whom. */
export function saidOf({ cause, decisions }: CauseDetail): readonly string[] {
  return decisions.map((decision) => {
    const { id, kind, actor, reason, undoneBy, undoneBecause, rule } = decision
    const what = kind === 'merge' ? mergeText(decision, cause.id) : `${decision.target} split from ${decision.cause} by ${rule}`
    const undone = undoneBy === null ? '' : `; undone by ${undoneBy} because ${undoneBecause}`
    return shown(`${id}: ${what}, by ${actor} because ${reason}${undone}`)
  })
}

function mergeText({ cause, causeTitle, target, targetTitle }: CauseDetail['decisions'][number], here: number): string {
  return target === here ? `merged from ${cause} ${causeTitle}` : `${cause} merged into ${target} ${targetTitle}`
}
