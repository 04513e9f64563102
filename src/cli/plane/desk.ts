import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Config } from '../../config/config.ts'
import { defaultConfigFile, readConfigFile } from '../../config/read-config.ts'
import { RedriveError } from '../../core/errors.ts'
import type { By, ControlPlane, LetterPage } from '../../ops/control-plane.ts'
import { jsonOption } from '../open-topology.ts'
import type { Terminal } from '../terminal.ts'
import { openVault } from './vault-plane.ts'

/** What every command on letters takes. */
export interface PlaneOptions {
  readonly vault?: string
  readonly config?: string
  readonly connection?: readonly string[]
  readonly json?: boolean
}

export type Letter = LetterPage['letters'][number]

/** Where a command works: a control plane, and who it works for. */
export interface Desk {
  readonly plane: ControlPlane
  readonly terminal: Terminal
  readonly by: By
  /** Readies this process to run replays to these connections, or says what is missing; where a server runs them, there is nothing to do. */
  prepareToRun(connections: readonly string[]): void
}

export function planeCommand(parent: Command, nameAndArguments: string): Command {
  return parent
    .command(nameAndArguments)
    .option('--vault <file>', 'the file of the vault (or REDRIVE_VAULT)')
    .option('--config <file>', `names the vault and the brokers (default: ${defaultConfigFile}, where there is one)`)
    .option(...jsonOption)
}

export interface DeskNeeds {
  /** The command may ask brokers. Others never open a connection. */
  readonly brokers?: boolean
  readonly create?: boolean
}

/** Opens what the options name, works, and closes it, also when the work fails. */
export async function atDesk<Options extends PlaneOptions>(
  options: Options,
  terminal: Terminal,
  work: (desk: Desk, options: Options) => Promise<number>,
  { brokers = false, create = false }: DeskNeeds = {},
): Promise<number> {
  const config = await configOf(options, terminal)
  const file = options.vault || terminal.environment['REDRIVE_VAULT'] || config?.vault
  if (file === undefined) {
    throw new RedriveError(
      'bad-option',
      `Say where the letters are: --vault <file>, REDRIVE_VAULT in the environment, or a ${defaultConfigFile}.`,
    )
  }
  const opened = { file, config: brokers ? config : undefined, connections: options.connection ?? [], create }
  const { plane, connections, close } = await openVault(opened, terminal)
  try {
    return await work({ plane, terminal, by: { actor: actorOf(terminal) }, prepareToRun }, options)
  } finally {
    await close()
  }

  function prepareToRun(wanted: readonly string[]): void {
    const missing = wanted.filter((name) => !connections.has(name))
    if (missing.length > 0) {
      const example = missing.map((name) => `--connection ${name}=transport:where`).join(' ')
      throw new RedriveError(
        'bad-option',
        `On a vault file this command sends the letters itself, and needs to know where to: ${example}, or a configuration that names them.`,
      )
    }
    plane.onChange((change) => {
      if (change.kind === 'problem') terminal.err(`redrive: ${change.source}: ${change.code}\n`)
    })
    plane.startCollecting()
  }
}

/** Next to a vault that was named, a configuration is only looked at when it was named too. */
async function configOf({ config, vault }: PlaneOptions, { environment, folder }: Terminal): Promise<Config | undefined> {
  if (config !== undefined) return readConfigFile(resolve(folder, config), environment)
  const usual = join(folder, defaultConfigFile)
  if (vault || environment['REDRIVE_VAULT'] || !existsSync(usual)) return undefined
  return readConfigFile(usual, environment)
}

/** Who sits in front of the terminal, as far as the system says. */
function actorOf({ environment }: Terminal): string {
  return environment['USER'] || environment['LOGNAME'] || environment['USERNAME'] || 'command line'
}
