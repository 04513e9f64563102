import { resolve } from 'node:path'
import type { Command } from 'commander'
import { defaultConfigFile, readConfigFile } from '../../config/read-config.ts'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import { type RekeyOutcome, rekey } from '../../ops/rekey.ts'
import { shownVault } from '../../vault/open-vault.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonOption } from '../open-topology.ts'
import { many } from '../output/times.ts'
import { actorOf } from '../plane/actor.ts'
import type { Terminal } from '../terminal.ts'
import { rowProgress } from './row-progress.ts'

interface RekeyOptions {
  readonly config: string
  readonly json?: boolean
}

export function addVaultRekey(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('rekey')
    .summary('seals every letter with the key that the configuration names')
    .description(
      'Gives every letter the key that encryption.key names: what is kept in clear is sealed, and what was sealed with a former key is wrapped with this one. Then the former keys are retired. No control plane may run meanwhile.',
    )
    .option('--config <file>', 'names the vault and its keys', defaultConfigFile)
    .option(...jsonOption)
    .addHelpText(
      'after',
      `
A run that was ended in any way goes on when the command is run again; until it is done, all keys are needed.
Where something was kept in clear, the database is written anew in the end, for which it needs room once more (a file: twice).

Examples:
  openssl rand -base64 32 > vault.key && chmod 600 vault.key
  redrive vault rekey
  redrive vault rekey --config /etc/redrive/redrive.yaml --json`,
    )
    .action(async (options: RekeyOptions) => end(await run(options, terminal)))
}

async function run({ config, json }: RekeyOptions, terminal: Terminal): Promise<number> {
  const { vault: place, encryption } = await readConfigFile(resolve(terminal.folder, config), terminal.environment)
  if (!encryption) throw new RedriveError('bad-option', `${config} names no encryption.key to seal letters with.`)
  // Only here: every other command starts without a database to load.
  const { openVault } = await import('../../vault/open-vault.ts')
  const { vault, lock, scrub } = await openVault(place, encryption)
  const progress = rowProgress(terminal)
  const begun = terminal.clock.monotonic()
  try {
    const { release } = await lock(() => terminal.err('redrive: a control plane has taken over the vault.\n'))
    const { clock } = terminal
    const outcome = await rekey({
      vault,
      key: encryption.key.id,
      scrub,
      clock,
      actor: actorOf(terminal),
      onNews: progress.show,
    }).finally(async () => {
      progress.end()
      await release()
    })
    const seconds = (clock.monotonic() - begun) / 1000
    terminal.out(json ? `${visibleJson({ vault: shownVault(place), ...outcome, seconds })}\n` : told(outcome, seconds))
    return exitCodes.done
  } finally {
    await vault.close()
  }
}

function told({ key, letters, edits, keys, retired, scrubbed }: RekeyOutcome, seconds: number): string {
  const lines = [
    `${many(letters, 'letter')} and ${many(edits, 'edit')} sealed, ${many(keys, 'key')} of letters wrapped anew, in ${seconds.toFixed(1)} s`,
    `Everything is sealed with the key ${key}.`,
    ...(scrubbed ? ['The database was written anew. Backups and copies of before still hold what was clear.'] : []),
    ...(retired.length > 0 ? [`Nothing needs these keys any more: ${retired.join(', ')}`] : []),
  ]
  return `${lines.join('\n')}\n`
}
