import type { Command } from 'commander'
import { conditionText, spanText } from '../../core/alerts/condition-text.ts'
import { limitOf } from '../../core/alerts/rule-options.ts'
import { parseDuration } from '../../core/duration.ts'
import { visibleJson } from '../../core/visible.ts'
import type { Alerts } from '../../ops/control-plane.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { many, timestamp } from '../output/times.ts'
import { atDesk, type Desk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'

type Rule = Awaited<ReturnType<Alerts['rules']>>[number]
type RuleTest = Awaited<ReturnType<Alerts['testRule']>>

interface TestOptions extends PlaneOptions {
  readonly since: string
  readonly limit?: string
  readonly for?: string
  readonly keep?: string
}

export function addRules(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const rules = parent.command('rules').description('What is alerted about.')
  for (const add of [addList, addTest]) add(rules, terminal, end)
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list', { isDefault: true })
    .summary('lists the rules that are in force')
    .description('Lists the rules that are in force: the defaults, with what the configuration changes.')
    .option(...jsonlOption)
    .action(async (options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(options, terminal, async ({ plane }) => {
          printList('rules', await plane.alerts.rules(), columns, options, terminal)
          return exitCodes.done
        }),
      ),
    )
}

function addTest(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'test')
    .argument('<rule>', 'its id, as redrive rules lists it')
    .summary('shows when a rule would have fired')
    .description(
      'Sends what was seen lately through a rule, perhaps with other settings, and shows when it would have fired. Nobody is told.',
    )
    .option('--since <time>', 'how far back; what was seen is kept for 7 days', '24h')
    .option('--limit <n>', 'in place of its own limit: a number, a share such as 5%, or a duration, as the rule compares it')
    .option('--for <time>', 'in place of its own: how long it must hold')
    .option('--keep <time>', 'in place of its own: how long it must be clear')
    .addHelpText(
      'after',
      '\nExamples:\n  redrive rules test dlq.count\n  redrive rules test dlq.count --limit 50 --for 5m --since 7d',
    )
    .action(async (rule: string, options: TestOptions) =>
      end(await atDesk(options, terminal, (desk) => test(desk, rule, options))),
    )
}

async function test({ plane, terminal }: Desk, rule: string, options: TestOptions): Promise<number> {
  const { limit, for: lasting, keep } = options
  const found = await plane.alerts.testRule({
    rule,
    since: terminal.clock.now() - parseDuration(options.since, '--since'),
    changes: {
      ...(limit !== undefined && { limit: limitOf(rule, limit) }),
      ...(lasting !== undefined && { for: parseDuration(lasting, '--for') }),
      ...(keep !== undefined && { keepFiringFor: parseDuration(keep, '--keep') }),
    },
  })
  terminal.out(options.json ? `${visibleJson(found)}\n` : described(rule, found))
  return found.samples === 0 ? exitCodes.nothing : exitCodes.done
}

function described(rule: string, { samples, from, to, changes }: RuleTest): string {
  if (from === undefined || to === undefined)
    return 'Nothing was seen in that time: a control plane that runs keeps what it sees.\n'
  const fired = changes.filter(({ change }) => change === 'fired').length
  const seen = `${many(samples, 'look')} from ${timestamp(from)} to ${timestamp(to)}`
  const lines = changes.map(({ at, change, subject, figures }) => {
    const where = [subject.source, subject.queue ?? subject.cause].filter((part) => part !== undefined).join('/')
    const count = figures.count === undefined ? '' : ` (${figures.count})`
    return `${timestamp(at)}  ${change.padEnd(8)}  ${shown(where)}${count}\n`
  })
  return `${shown(rule)} would have fired ${fired === 1 ? 'once' : `${fired} times`} in ${seen}.\n${lines.join('')}`
}

const columns: readonly Column<Rule>[] = [
  { head: 'ID', cell: ({ id }) => id },
  { head: 'SEVERITY', cell: ({ severity }) => severity },
  { head: 'FOR', cell: (rule) => spanText(rule.for), align: 'right' },
  { head: 'CLEAR FOR', cell: ({ keepFiringFor }) => spanText(keepFiringFor), align: 'right' },
  { head: 'SOURCE', cell: ({ scope }) => scope.source ?? '*', gives: true },
  { head: 'QUEUE', cell: ({ scope }) => scope.queue ?? '*', gives: true },
  { head: 'HOLDS WHEN', cell: ({ condition }) => conditionText(condition), gives: true },
]
