import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import { defaultConfigFile, readConfigFile } from '../../config/read-config.ts'
import { keysFromEnvironment } from '../../config/read-keys.ts'
import { RedriveError } from '../../core/errors.ts'
import type { VaultKeys } from '../../platform/vault-key.ts'
import { shown, type Terminal } from '../terminal.ts'
import { actorOf } from './actor.ts'
import type { Desk, DeskNeeds, PlaneOptions } from './desk.ts'
import { openVault } from './vault-plane.ts'

/** Works on the file of a vault, in this process. */
export async function vaultDesk(options: PlaneOptions, terminal: Terminal, needs: DeskNeeds): Promise<Desk> {
  const { brokers = false, create = false } = needs
  const config = await configOf(options, terminal)
  const file = fileOf(options, config, terminal)
  if (file === undefined) {
    const told = `--server <url>, --vault <file>, REDRIVE_SERVER or REDRIVE_VAULT in the environment, or a ${defaultConfigFile}.`
    throw new RedriveError('bad-option', `Say where the letters are: ${told}`)
  }
  const actor = actorOf(terminal)
  const wanted = {
    file,
    config: brokers ? config : undefined,
    connections: options.connection ?? [],
    create,
    actor,
    keys: await keysOf(config, terminal),
  }
  const { plane, access, connections, lock, close } = await openVault(wanted, terminal)
  return {
    plane,
    access,
    terminal,
    by: { actor },
    async prepareToRun(needed) {
      refuseUnknown(needed.filter((name) => !connections.has(name)))
      await lock()
      plane.onChange((change) => {
        if (change.kind === 'problem') terminal.err(`redrive: ${shown(change.source)}: ${change.code}\n`)
      })
      plane.startCollecting()
    },
    close,
  }
}

/** A configuration that was named says which vault is meant; that of the folder says it only where nobody else does. */
function fileOf(options: PlaneOptions, config: Config | undefined, { environment }: Terminal): string | undefined {
  if (options.vault) return options.vault
  return options.config === undefined ? environment['REDRIVE_VAULT'] || config?.vault : config?.vault
}

/** Without a configuration, as the environment says. */
export async function keysOf(config: Config | undefined, { folder, environment }: Terminal): Promise<VaultKeys | undefined> {
  if (config) return config.encryption
  const found = await keysFromEnvironment({ folder, environment })
  if (found && 'problem' in found)
    throw new RedriveError('bad-option', `REDRIVE_VAULT_KEY or REDRIVE_VAULT_KEY_FILE ${found.problem}.`)
  return found
}

function refuseUnknown(missing: readonly string[]): void {
  if (missing.length === 0) return
  const example = missing.map((name) => `--connection ${name}=transport:where`).join(' ')
  throw new RedriveError(
    'bad-option',
    `On a vault file this command sends the letters itself, and needs to know where to: ${example}, or a configuration that names them.`,
  )
}

/** Next to a vault that was named, a configuration is only looked at when it was named too. */
async function configOf({ config, vault }: PlaneOptions, { environment, folder }: Terminal): Promise<Config | undefined> {
  if (config !== undefined) return readConfigFile(resolve(folder, config), environment)
  const usual = join(folder, defaultConfigFile)
  if (vault || environment['REDRIVE_VAULT'] || !existsSync(usual)) return undefined
  return readConfigFile(usual, environment)
}
