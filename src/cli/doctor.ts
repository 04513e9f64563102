import { resolve } from 'node:path'
import type { Command } from 'commander'
import { readConfigFile } from '../config/read-config.ts'
import { examineIssuer } from '../oidc/examine-issuer.ts'
import { type FileOptions, fileOption, jsonOption, openTopology, patientOf } from './open-topology.ts'
import { print } from './report.ts'
import type { Terminal } from './terminal.ts'

interface DoctorOptions extends FileOptions {
  readonly config?: string
}

export function addDoctor(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('doctor')
    .summary('asks the broker what could lose messages')
    .description('Asks the broker, and says what could lose messages or delay them, and what to do about it. It changes nothing.')
    .option(...fileOption)
    .option('--config <file>', 'instead of the broker, asks the OpenID issuer of this configuration whether people can sign in')
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nExit code: 0 nothing was found, 1 something was, 2 the broker could not be asked.' +
        '\nWhat could not be asked is listed as unknown, never as fine.' +
        '\n\nExamples:\n  redrive doctor\n  redrive doctor --json\n  redrive doctor --config redrive.yaml',
    )
    .action(async (options: DoctorOptions) =>
      end(options.config === undefined ? await doctor(options, terminal) : await loginDoctor(options.config, options, terminal)),
    )
}

async function doctor(options: FileOptions, terminal: Terminal): Promise<number> {
  const opened = await openTopology(options, terminal)
  await opened.transport.close()
  const entries = await opened.tools.examine(opened.file.connection, patientOf(opened))
  return print({ command: 'doctor', transport: opened.file.transport, entries }, terminal, options.json === true)
}

async function loginDoctor(file: string, options: FileOptions, terminal: Terminal): Promise<number> {
  const { login } = await readConfigFile(resolve(terminal.folder, file), terminal.environment)
  const entries = login.oidc ? await examineIssuer(login.oidc) : [noIssuer]
  const about = entries.map((entry) => ({ about: 'login.oidc', ...entry }))
  return print({ command: 'doctor', transport: 'oidc', entries: about }, terminal, options.json === true)
}

const noIssuer = {
  severity: 'fine',
  what: 'issuer',
  message: 'The configuration has no login.oidc: people sign in with passwords.',
} as const
