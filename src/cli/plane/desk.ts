import type { Command } from 'commander'
import { RedriveError } from '../../core/errors.ts'
import type { By, ControlPlane, LetterPage } from '../../ops/control-plane.ts'
import { jsonOption } from '../open-topology.ts'
import type { Terminal } from '../terminal.ts'
import { openVault } from './vault-plane.ts'

/** What every command on letters takes. */
export interface PlaneOptions {
  readonly vault?: string
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
    .option(...jsonOption)
}

/** Opens what the options name, works, and closes it, also when the work fails. */
export async function atDesk<Options extends PlaneOptions>(
  options: Options,
  terminal: Terminal,
  work: (desk: Desk, options: Options) => Promise<number>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<number> {
  const file = options.vault ?? terminal.environment['REDRIVE_VAULT']
  if (file === undefined || file === '') {
    throw new RedriveError('bad-option', 'Say where the letters are: --vault <file>, or REDRIVE_VAULT in the environment.')
  }
  const { plane, connections, close } = await openVault({ file, connections: options.connection ?? [], create }, terminal)
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
        `On a vault file this command sends the letters itself, and needs to know where to: ${example}`,
      )
    }
    plane.onChange((change) => {
      if (change.kind === 'problem') terminal.err(`redrive: ${change.source}: ${change.code}\n`)
    })
    plane.startCollecting()
  }
}

/** Who sits in front of the terminal, as far as the system says. */
function actorOf({ environment }: Terminal): string {
  return environment['USER'] || environment['LOGNAME'] || environment['USERNAME'] || 'command line'
}
