import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { type ErrorCode, RedriveError } from '../core/errors.ts'
import { addDoctor } from './doctor.ts'
import { exitCodes } from './report.ts'
import { shown, type Terminal } from './terminal.ts'
import { addTopologyApply } from './topology-apply.ts'
import { addTopologyCheck } from './topology-check.ts'
import { addTopologyExport } from './topology-export.ts'
import { addUp } from './up.ts'

/** The same in every terminal and in the docs. */
const helpWidth = 100

/** Runs one command; the result is the exit code. Never throws. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let status: number = exitCodes.clean
  const program = createProgram(terminal, (ended) => {
    status = ended
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    return fail(error, terminal, args.includes('--json'))
  }
}

export function createProgram(terminal: Terminal, end: (status: number) => void): Command {
  const program = new Command('redrive')
    .description('Dead letters done right: looks after the channels of message consumers.')
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText('after', '\nExamples:\n  redrive doctor\n  redrive topology check --json')
  const topology = program.command('topology').description('Compares, creates and exports what a consumer needs on its broker.')
  addTopologyCheck(topology, terminal, end)
  addTopologyApply(topology, terminal, end)
  addTopologyExport(topology, terminal, end)
  addDoctor(program, terminal, end)
  addUp(program, terminal)
  return program
}

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** Usage has been explained already by the library that reads the arguments. */
function fail(error: unknown, terminal: Terminal, json: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.clean
  const { code, message } = described(error)
  if (json) terminal.out(`${JSON.stringify({ error: { code, message } })}\n`)
  else if (!(error instanceof CommanderError)) terminal.err(`redrive: ${code}: ${message}\n`)
  return exitCodes.failed
}

function described(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof RedriveError) return { code: error.code, message: lines(error.message) }
  if (error instanceof CommanderError) {
    const code: ErrorCode = error.code === 'commander.unknownOption' ? 'unknown-option' : 'bad-option'
    return { code, message: lines(error.message) }
  }
  const { name, message } = error instanceof Error ? error : new Error('something that is no error was thrown')
  return { code: 'unexpected', message: lines(`${name}: ${message}`) }
}

function lines(message: string): string {
  return message.split('\n').map(shown).join('\n')
}
