import { Command, CommanderError } from 'commander'
import { type ErrorCode, RedriveError } from '../core/errors.ts'
import { visibleJson } from '../core/visible.ts'
import { packageVersion } from '../platform/package-version.ts'
import { addAudit } from './access/audit.ts'
import { addToken } from './access/token.ts'
import { addUsers } from './access/users.ts'
import { addAlerts } from './alerts/alerts.ts'
import { addNotifiers } from './alerts/notifiers.ts'
import { addOtlp } from './alerts/otlp.ts'
import { addRules } from './alerts/rules.ts'
import { addCause } from './causes/cause.ts'
import { addCauses } from './causes/causes.ts'
import { addCompletion } from './completion.ts'
import { addConsumers } from './consumers/consumers.ts'
import { addDoctor } from './doctor.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { addDiscard } from './letters/discard.ts'
import { addEdit } from './letters/edit.ts'
import { addErase } from './letters/erase.ts'
import { addExport } from './letters/export.ts'
import { addImport } from './letters/import.ts'
import { addLetters } from './letters/letters.ts'
import { addNote } from './letters/note.ts'
import { addPurge } from './letters/purge.ts'
import { addRepro } from './letters/repro.ts'
import { addRestore } from './letters/restore.ts'
import { addShow } from './letters/show.ts'
import { addTrace } from './letters/trace.ts'
import { Declined } from './output/confirm.ts'
import { addDecide } from './replays/decide.ts'
import { addReplay } from './replays/replay.ts'
import { addReplayStatus } from './replays/replay-status.ts'
import { addReplays } from './replays/replays.ts'
import { addSources } from './sources.ts'
import { shown, type Terminal } from './terminal.ts'
import { addTopologyApply } from './topology-apply.ts'
import { addTopologyCheck } from './topology-check.ts'
import { addTopologyExport } from './topology-export.ts'
import { addUp } from './up.ts'
import { addVaultCopy } from './vault/copy.ts'
import { addVaultRekey } from './vault/rekey.ts'

/** The same in every terminal and in the docs. */
const helpWidth = 100

/** Runs one command; the result is the exit code. Never throws. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let status: number = exitCodes.done
  const program = createProgram(terminal, (ended) => {
    status = ended
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    return fail(error, terminal, asksForJson(args))
  }
}

export function createProgram(terminal: Terminal, end: (status: number) => void): Command {
  const program = new Command('redrive')
    .description(
      'Dead letters done right: see them, understand them, fix them and send them back; and look after the channels of consumers.',
    )
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      // It quotes what it was given.
      writeErr: (text) => terminal.err(lines(text)),
      // A mistake in the arguments is told like any other, with its code.
      outputError: () => {},
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      '\nExamples:\n  export REDRIVE_VAULT=vault.db\n  redrive causes\n  redrive letters state:open\n  redrive replay cause:3f2a --dry-run\n  redrive doctor',
    )
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading)
    for (const add of commands) add(program, terminal, end)
  }
  return program
}

type Add = (parent: Command, terminal: Terminal, end: (status: number) => void) => void

const groups: readonly (readonly [heading: string, commands: readonly Add[]])[] = [
  ['Seeing:', [addCauses, addCause, addLetters, addShow, addTrace, addSources, addConsumers]],
  ['Sending back:', [addReplay, addReplays, addReplayStatus, addDecide]],
  ['Mending:', [addEdit, addNote, addRepro]],
  ['Putting away:', [addDiscard, addRestore, addPurge, addErase, addExport, addImport]],
  ['Being told:', [addAlerts, addRules, addNotifiers, addOtlp]],
  ['Brokers:', [addTopology, addDoctor]],
  ['Server:', [addUp, addUsers, addToken, addAudit, addVault]],
  ['This program:', [addCompletion]],
]

function addTopology(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const topology = parent.command('topology').description('Compares, creates and exports what a consumer needs on its broker.')
  for (const add of [addTopologyCheck, addTopologyApply, addTopologyExport]) add(topology, terminal, end)
}

function addVault(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  const vault = parent.command('vault').description('Moves and seals what the control plane keeps.')
  for (const add of [addVaultCopy, addVaultRekey]) add(vault, terminal, end)
}

/** Behind `--` everything is data. */
function asksForJson(args: readonly string[]): boolean {
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  return options.includes('--json') || options.includes('--jsonl')
}

function fail(error: unknown, terminal: Terminal, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done
  // Of a command that has others under it and was given none, the usage has been shown.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.failed
  const { code, message } = described(error)
  if (json) terminal.out(`${visibleJson({ error: { code, message } })}\n`)
  else terminal.err(`redrive: ${code}: ${message}\n`)
  if (!json && error instanceof CommanderError && looksLikeFilter(message)) {
    terminal.err('A filter that begins with a minus stands after --.\n')
  }
  return exitCodeOf(error)
}

function looksLikeFilter(message: string): boolean {
  return /unknown option '-["(\w.]+[:<>=]/.test(message)
}

function described(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof RedriveError) return { code: error.code, message: lines(error.message) }
  if (error instanceof CommanderError) {
    const code: ErrorCode = error.code === 'commander.unknownOption' ? 'unknown-option' : 'bad-option'
    return { code, message: lines(error.message.replace(/^error: /, '')) }
  }
  if (error instanceof Declined) return { code: 'declined', message: lines(error.message) }
  const { name, message } = error instanceof Error ? error : new Error('something that is no error was thrown')
  return { code: 'unexpected', message: lines(`${name}: ${message}`) }
}

function lines(message: string): string {
  return message.split('\n').map(shown).join('\n')
}
