import { type Command, Option } from 'commander'
import type { CauseDetail, Causes, ListedCause } from '../../ops/control-plane.ts'
import { atLeastOne } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import { paintFor, styleOfState } from '../output/paint.ts'
import type { Column } from '../output/table.ts'
import { age, many } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { addMerge, addSplit, addUndo } from './regroup.ts'

type Cause = CauseDetail['cause']

interface CausesOptions extends PlaneOptions, ListOptions {
  readonly state?: Cause['state']
  readonly limit: number
  readonly all?: boolean
}

export function addCauses(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const causes = parent.command('causes').description('What is broken, and which causes are one.')
  for (const add of [addList, addMerge, addSplit, addUndo]) add(causes, terminal, end)
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list', { isDefault: true })
    .argument('[filter]', 'only causes with letters that match, as in redrive letters')
    .summary('lists what is broken')
    .description(
      'Lists what is broken: letters with the same error at the same place are one cause. Those with the newest letters first.',
    )
    .addOption(new Option('--state <state>', 'only these').choices(['open', 'acknowledged', 'resolved', 'archived']))
    .option('--limit <n>', 'at most so many', atLeastOne, 50)
    .option('--all', 'all of them, however many')
    .option(...jsonlOption)
    .addHelpText(
      'after',
      "\nExamples:\n  redrive causes\n  redrive causes --state open --json\n  redrive causes 'channel:orders.* age<1h'",
    )
    .action(async (filter: string | undefined, options: CausesOptions) =>
      end(await atDesk(options, terminal, (desk) => list(desk, filter, options))),
    )
}

async function list({ plane, terminal }: Desk, filter: string | undefined, options: CausesOptions): Promise<number> {
  const { causes, next } = await find(plane.causes, filter, options)
  const columns = columnsAt(terminal.clock.now()).filter(({ head }) => filter !== undefined || head !== 'MATCH')
  printList('causes', causes, columns, options, terminal)
  const isForPeople = !options.json && !options.jsonl
  if (isForPeople && causes.length === 0) terminal.out('no causes\n')
  if (isForPeople && next) terminal.out(paintFor(terminal)('dim', `${many(causes.length, 'cause')}; there are more: --all\n`))
  return causes.length === 0 ? exitCodes.nothing : exitCodes.done
}

async function find(
  causes: Causes,
  filter: string | undefined,
  { state, limit, all }: CausesOptions,
): ReturnType<Causes['list']> {
  const found: ListedCause[] = []
  for (let after: { readonly lastAt: number; readonly id: number } | undefined; ; ) {
    const { causes: page, next } = await causes.list({
      limit: all ? 1000 : limit,
      ...(state && { state }),
      ...(filter !== undefined && { filter }),
      ...(after && { after }),
    })
    found.push(...page)
    if (!next) return { causes: found }
    if (!all) return { causes: found, next }
    after = next
  }
}

function columnsAt(now: number): readonly Column<ListedCause>[] {
  return [
    { head: 'ID', cell: ({ id }) => id, align: 'right' },
    { head: 'STATE', cell: stateOf, style: ({ state }) => styleOfState(state) },
    { head: 'MATCH', cell: ({ matching }) => matching, align: 'right' },
    { head: 'UNRESOLVED', cell: ({ unresolved }) => unresolved, align: 'right' },
    { head: 'TOTAL', cell: ({ total }) => total, align: 'right' },
    { head: 'LAST', cell: ({ lastAt }) => age(lastAt, now), align: 'right' },
    { head: 'OWNER', cell: ({ owner }) => owner },
    { head: 'CAUSE', cell: ({ fingerprint }) => shortFingerprint(fingerprint) },
    { head: 'CHANNEL', cell: (cause) => partsOf(cause)?.channel, gives: true },
    { head: 'TITLE', cell: ({ title }) => title, gives: true },
  ]
}

function stateOf({ state, regressedAt, fixedIn }: Cause): string {
  if (regressedAt !== null) return `${state} (again)`
  return fixedIn === null ? state : `${state} in ${fixedIn}`
}

/** A server does not tell why letters were grouped. */
export function partsOf(cause: { readonly parts?: Cause['parts'] }): Cause['parts'] | undefined {
  return cause.parts
}

/** As much as a filter needs: `cause:3f2a9c01`. */
export function shortFingerprint(fingerprint: string): string {
  return fingerprint.slice(fingerprint.indexOf(':') + 1).slice(0, 8)
}
