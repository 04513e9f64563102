import type { Command } from 'commander'
import { visibleJson } from '../../core/visible.ts'
import type { Tokens } from '../../ops/access/access.ts'
import { atLeastOne, wholeNumber } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonlOption, type ListOptions, printList } from '../output/list.ts'
import type { Column } from '../output/table.ts'
import { age, timestamp } from '../output/times.ts'
import { atDesk, type PlaneOptions, planeCommand } from '../plane/desk.ts'
import { shown, type Terminal } from '../terminal.ts'
import { type GrantOptions, revealOption, roleOption, sourceOption } from './grant-options.ts'

const where = '\nOn the file of the vault, with --vault: a server gives tokens to people who signed in, and to no programs.'

export function addToken(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const token = parent
    .command('token')
    .summary('makes, lists and revokes API tokens')
    .description(
      'Tokens are for programs. Each belongs to a user, has a role and sources of its own, and never may more than its user.',
    )
    .addHelpText(
      'after',
      `${where}\n\nExamples:\n  redrive token create --user billing --role consumer --name billing-prod\n  redrive token revoke 7`,
    )
  addCreate(token, terminal, end)
  addList(token, terminal, end)
  addRevoke(token, terminal, end)
}

interface CreateOptions extends PlaneOptions, GrantOptions {
  readonly user: string
  readonly role: string
  readonly name: string
  readonly days: number
}

function addCreate(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'create')
    .summary('makes one, and shows it once')
    .description('Makes a token and shows it once: nobody can show it again, because only its hash is kept.')
    .requiredOption('--user <name>', 'whose it is')
    .addOption(roleOption().makeOptionMandatory())
    .requiredOption('--name <name>', 'what it is for')
    .addOption(sourceOption())
    .option(...revealOption)
    .option('--days <n>', 'for how long it is good', atLeastOne, 90)
    .addHelpText(
      'after',
      `${where}\n\nExamples:\n  redrive users create billing --role consumer\n  redrive token create --user billing --role consumer --name billing-prod --days 365`,
    )
    .action(async (options: CreateOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const { user, role, name, days, source = ['*'], reveal = false } = options
          const created = await access.tokens.create({ user, role, name, days, sources: source, reveal })
          const { token, secret } = created
          if (options.json) terminal.out(`${visibleJson(created)}\n`)
          else {
            const told = `token ${token.id} of ${user}, good until ${timestamp(token.expiresAt)}. It is shown this once:`
            terminal.err(`${shown(told)}\n`)
            terminal.out(`${secret}\n`)
          }
          return exitCodes.done
        }),
      ),
    )
}

function addList(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'list')
    .summary('lists them, with their last four characters')
    .description('Lists all tokens, with what each may do and when it ends.')
    .option(...jsonlOption)
    .addHelpText('after', `${where}\n\nExamples:\n  redrive token list`)
    .action(async (options: PlaneOptions & ListOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          const tokens = await access.tokens.list()
          printList('tokens', tokens, columnsAt(terminal.clock.now()), options, terminal)
          if (tokens.length === 0 && !options.json && !options.jsonl) terminal.out('no tokens\n')
          return tokens.length === 0 ? exitCodes.nothing : exitCodes.done
        }),
      ),
    )
}

type Token = Awaited<ReturnType<Tokens['list']>>[number]

function columnsAt(now: number): readonly Column<Token>[] {
  return [
    { head: 'ID', cell: ({ id }) => id, align: 'right' },
    { head: 'NAME', cell: ({ name }) => name, gives: true },
    { head: 'USER', cell: ({ user }) => user, align: 'right' },
    { head: 'ROLE', cell: ({ role, reveal }) => (reveal ? `${role} + reveal` : role) },
    { head: 'SOURCES', cell: ({ sources }) => sources.join(', '), gives: true },
    { head: 'ENDS WITH', cell: ({ last4 }) => last4 },
    { head: 'MADE', cell: ({ madeAt }) => age(madeAt, now), align: 'right' },
    { head: 'IS', cell: (token) => stateOf(token, now), style: (token) => (stateOf(token, now) === 'good' ? 'green' : 'dim') },
  ]
}

function stateOf({ revokedAt, expiresAt }: Token, now: number): string {
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'good'
}

function addRevoke(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  planeCommand(parent, 'revoke')
    .argument('<id>', 'the id of the token', wholeNumber)
    .summary('ends one at once and for good')
    .description('Ends a token at once and for good.')
    .addHelpText('after', `${where}\n\nExamples:\n  redrive token revoke 7`)
    .action(async (id: number, options: PlaneOptions) =>
      end(
        await atDesk(options, terminal, async ({ access }) => {
          await access.tokens.revoke(id)
          terminal.out(options.json ? `${visibleJson({ id, revoked: true })}\n` : `token ${id} is revoked\n`)
          return exitCodes.done
        }),
      ),
    )
}
