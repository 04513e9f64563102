import type { Command, CommandOptions } from 'commander'
import { defaultConfigFile } from '../../config/read-config.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Access } from '../../ops/access/access.ts'
import type { By, ControlPlane, LetterPage } from '../../ops/control-plane.ts'
import { jsonOption } from '../open-topology.ts'
import type { Terminal } from '../terminal.ts'

/** What every command on letters takes. */
export interface PlaneOptions {
  readonly server?: string
  readonly token?: string
  readonly vault?: string
  readonly config?: string
  readonly connection?: readonly string[]
  readonly json?: boolean
}

export type Letter = LetterPage['letters'][number]

/** Where a command works: a control plane, and who it works for. */
export interface Desk {
  readonly plane: ControlPlane
  /** Users, tokens and the audit trail. */
  readonly access: Access
  readonly terminal: Terminal
  readonly by: By
  /** Readies this process to run replays to these connections, or says what is missing; where a server runs them, there is nothing to do. */
  prepareToRun(connections: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface DeskNeeds {
  /** The command may ask brokers. Others never open a connection. */
  readonly brokers?: boolean
  /** Makes the file of the vault where there is none. */
  readonly create?: boolean
}

export function planeCommand(parent: Command, nameAndArguments: string, options: CommandOptions = {}): Command {
  return parent
    .command(nameAndArguments, options)
    .option('--server <url>', 'a running control plane (or REDRIVE_SERVER)')
    .option('--token <token>', 'who you are there (or REDRIVE_TOKEN, which nobody else sees)')
    .option('--vault <file>', 'the file of a vault instead (or REDRIVE_VAULT)')
    .option('--config <file>', `names the vault and the brokers (default: ${defaultConfigFile}, where there is one)`)
    .option(...jsonOption)
}

/** Opens what the options name, works, and closes it, also when the work fails. */
export async function atDesk<Options extends PlaneOptions>(
  options: Options,
  terminal: Terminal,
  work: (desk: Desk, options: Options) => Promise<number>,
  needs: DeskNeeds = {},
): Promise<number> {
  const desk = await openDesk(options, terminal, needs)
  try {
    return await work(desk, options)
  } finally {
    await desk.close()
  }
}

/** What was written on the command line goes before what stands in the environment. */
async function openDesk(options: PlaneOptions, terminal: Terminal, needs: DeskNeeds): Promise<Desk> {
  const { vault, config } = options
  const isFileNamed = Boolean(vault) || config !== undefined
  if (options.server && isFileNamed) {
    const named = vault ? '--vault' : '--config, which names a vault'
    throw new RedriveError('bad-option', `Give --server or ${named}, and not both.`)
  }
  const server = options.server ?? (isFileNamed ? undefined : terminal.environment['REDRIVE_SERVER'])
  if (server) {
    const { serverDesk } = await import('./server-desk.ts')
    return serverDesk(server, options, terminal)
  }
  const { vaultDesk } = await import('./vault-desk.ts')
  return vaultDesk(options, terminal, needs)
}
