import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { Users } from '../../ops/access/access.ts'
import { wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { type GrantOptions, revealOption, roleOption, sourceOption } from './grant-options.ts'

type User = Awaited<ReturnType<Users['list']>>[number]
type WithLink = Awaited<ReturnType<Users['link']>>

export function addUsers(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const users = parent
    .command('users')
    .summary('lists, makes and changes users')
    .description(
      'Who may come in, and what they may do. Nobody is told a password: each sets their own by a link that works once, within the hour.',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  redrive users\n  redrive users create ana --role operator\n  redrive users change 4 --disable',
    )
  addList(users, terminal, end)
  addCreate(users, terminal, end)
  addChange(users, terminal, end)
  addLink(users, terminal, end)
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list', { isDefault: true })
    .summary('lists them (what happens without a command)')
    .description('Lists all users.')
    .option(...jsonlOption)
    .addHelpText('after', '\nExamples:\n  redrive users\n  redrive users --json')
    .action(async (options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const users = await access.users.list()
          printList('users', users, columns, options, terminal)
          if (users.length === 0 && !options.json && !options.jsonl) terminal.out('no users\n')
          return users.length === 0 ? exitCodes.nothing : exitCodes.done
        }),
      ),
    )
}

const columns: readonly Column<User>[] = [
  { head: 'ID', cell: ({ id }) => id, align: 'right' },
  { head: 'NAME', cell: ({ name }) => name },
  { head: 'ROLE', cell: ({ role, reveal }) => (reveal ? `${role} + reveal` : role) },
  { head: 'SOURCES', cell: ({ sources }) => sources.join(', '), gives: true },
  { head: 'IS', cell: stateOf, style: (user) => (stateOf(user) === 'active' ? 'green' : 'dim') },
]

function stateOf({ disabled, hasPassword, issuer }: User): string {
  if (disabled) return 'disabled'
  if (issuer !== null) return 'active'
  return hasPassword ? 'active' : 'without a password'
}

function addCreate(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'create')
    .argument('<name>', 'small letters, digits and . _ @ -')
    .summary('makes one, and gives a link to set a password')
    .description('Makes a user, and gives the link by which they set their password. A program needs none: make it a token.')
    .addOption(roleOption().makeOptionMandatory())
    .addOption(sourceOption())
    .option(...revealOption)
    .addHelpText(
      'after',
      '\nExamples:\n  redrive users create ana --role operator\n  redrive users create ben --role reader --source shop/dlq.orders',
    )
    .action(async (name: string, options: PlaneOptions & GrantOptions & { readonly role: string }) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const { role, source = ['*'], reveal = false } = options
          return showLink(await access.users.create({ name, role, sources: source, reveal }), options, terminal)
        }),
      ),
    )
}

interface ChangeOptions extends PlaneOptions, GrantOptions {
  readonly disable?: boolean
  readonly enable?: boolean
}

function addChange(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'change')
    .argument('<id>', 'the id of the user', wholeNumber)
    .summary('gives other rights, or none')
    .description(
      'Gives a user other rights. Whoever is signed in as this user is signed out; tokens may at once no more than the user.',
    )
    .addOption(roleOption())
    .addOption(sourceOption())
    .option(...revealOption)
    .option('--no-reveal', 'may not')
    .option('--disable', 'does not come in any more, nor do tokens of theirs')
    .option('--enable', 'comes in again')
    .addHelpText('after', '\nExamples:\n  redrive users change 4 --role viewer\n  redrive users change 4 --disable')
    .action(async (id: number, options: ChangeOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const user = await access.users.change(id, changeOf(options))
          terminal.out(
            options.json ? `${visibleJson(user)}\n` : shown(`${user.name} is ${stateOf(user)}, ${user.role}`).concat('\n'),
          )
          return exitCodes.done
        }),
      ),
    )
}

function changeOf({ role, source, reveal, disable, enable }: ChangeOptions): Parameters<Users['change']>[1] {
  if (disable && enable) throw new RedriveError('bad-option', 'Only one of --disable, --enable.')
  const change = {
    ...(role !== undefined && { role }),
    ...(source && { sources: source }),
    ...(reveal !== undefined && { reveal }),
    ...((disable || enable) && { disabled: disable === true }),
  }
  if (Object.keys(change).length === 0) throw new RedriveError('bad-option', 'Say what to change, such as --role viewer.')
  return change
}

function addLink(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'link')
    .argument('<id>', 'the id of the user', wholeNumber)
    .summary('gives a new link, for somebody who lost password or link')
    .description('Gives a new link by which the user sets a password. Links that were given before are void.')
    .addHelpText('after', '\nExamples:\n  redrive users link 4')
    .action(async (id: number, options: PlaneOptions) =>
      end(await atDesk(options, terminal, async ({ access }) => showLink(await access.users.link(id), options, terminal))),
    )
}

/** On a file nobody knows the address of the server, and the link is a path on it. */
function showLink(made: WithLink, options: PlaneOptions, terminal: Terminal): number {
  const { user, link } = made
  if (options.json) terminal.out(`${visibleJson(made)}\n`)
  else {
    terminal.err(`${shown(`user ${user.id} ${user.name}. The link works once, within the hour, on the server:`)}\n`)
    terminal.out(`${link}\n`)
  }
  return exitCodes.done
}
