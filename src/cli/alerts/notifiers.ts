import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defaultConfigFile, readConfigFile } from '../../config/read-config.ts'
import { RedriveError } from '../../core/errors.ts'
import { testSink } from '../../notifiers/notifiers.ts'
import type { Sink } from '../../notifiers/sink.ts'
import { newUuid } from '../../platform/chance.ts'
import { exitCodes } from '../exit-codes.ts'
import { printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { sinksOf } from '../plane/configured.ts'
import type { Terminal } from '../terminal.ts'
import { tellOutcome } from './test-outcome.ts'

interface NotifierOptions {
  readonly config: string
  readonly json?: boolean
}

const configOption = ['--config <file>', 'the configuration that names them', defaultConfigFile] as const
const jsonOption = ['--json', 'as JSON'] as const

const columns: readonly Column<Pick<Sink, 'name' | 'kind' | 'target'>>[] = [
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'TYPE', cell: ({ kind }) => kind },
  { head: 'TO', cell: ({ target }) => target },
]

export function addNotifiers(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const notifiers = parent.command('notifiers').description('Looks after the ways in which people are told about alerts.')
  notifiers
    .command('list')
    .summary('lists who is told about alerts')
    .description('Lists who is told about alerts, as the configuration says. No secret is shown.')
    .option(...configOption)
    .option(...jsonOption)
    .action(async (options: NotifierOptions) => {
      const found = (await sinksIn(options, terminal)).map(({ name, kind, target }) => ({ name, kind, target }))
      printList('notifiers', found, columns, options, terminal)
      end(exitCodes.done)
    })
  notifiers
    .command('test')
    .argument('<name>', 'one of the notifiers in the configuration')
    .summary('sends a test by one of them, and says what became of it')
    .description('Sends a test to one notifier from this machine, past every route and silence, and says what became of it.')
    .option(...configOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nExit code: 0 the receiver took it, 1 it did not.\n\nExamples:\n  redrive notifiers test ops-mail\n  redrive notifiers test pager --config /etc/redrive/redrive.yaml',
    )
    .action(async (name: string, options: NotifierOptions) => end(await test(name, options, terminal)))
}

async function test(name: string, options: NotifierOptions, terminal: Terminal): Promise<number> {
  const sinks = await sinksIn(options, terminal)
  const sink = sinks.find((each) => each.name === name)
  if (!sink) throw new RedriveError('not-found', `There is no notifier ${JSON.stringify(name)}. ${namesOf(sinks)}`)
  const outcome = await testSink(sink, { clock: terminal.clock, newId: newUuid, instance: hostname() })
  return tellOutcome(outcome, sink.target, options.json === true, terminal)
}

async function sinksIn({ config }: NotifierOptions, { folder, environment }: Terminal): Promise<readonly Sink[]> {
  return sinksOf(await readConfigFile(resolve(folder, config), environment))
}

function namesOf(sinks: readonly Sink[]): string {
  return sinks.length === 0
    ? 'Name one under notifiers in the configuration.'
    : `There are: ${sinks.map(({ name }) => name).join(', ')}.`
}
