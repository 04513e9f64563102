import { hasCode, RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { unresolvedStates } from '../vault/letter-states.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import type { SourceStatus } from './control-plane.ts'
import type { Source } from './source.ts'

export interface ConfiguredSource extends Source {
  readonly mode: 'watch' | 'follow' | 'collect'
}

/** Every source that is configured or has letters, with what lies on the broker and what lies in the vault. */
export async function statusOfSources(
  configured: readonly ConfiguredSource[],
  vault: Vault,
  clock: Clock,
): Promise<readonly SourceStatus[]> {
  const known = await knownSources(configured, vault)
  return Promise.all(known.map((source) => statusOf(source, configured.find(isThe(source)), clock)))
}

/** One that nobody has read yet is written down first; looking at those that are known writes nothing. */
async function knownSources(configured: readonly ConfiguredSource[], vault: Vault): Promise<readonly KnownSource[]> {
  const known = await vault.read('listSources', undefined)
  const fresh = configured.filter((source) => !known.some((other) => isThe(other)(source)))
  for (const source of fresh) await vault.write('registerSource', nameOf(source))
  return fresh.length === 0 ? known : vault.read('listSources', undefined)
}

async function statusOf(source: KnownSource, configured: ConfiguredSource | undefined, clock: Clock): Promise<SourceStatus> {
  const inVault = [...unresolvedStates].reduce((sum, state) => sum + (source.letters[state] ?? 0), 0)
  const onBroker = configured ? await look(configured, clock) : ({ letters: 0, at: clock.now() } as const)
  // What is followed lies on the broker and in the vault: it is counted where people work on it.
  const uncollected = configured?.mode !== 'follow' && 'letters' in onBroker ? onBroker.letters : 0
  const isAtLeast = 'problem' in onBroker
  return { source, mode: configured?.mode ?? 'not-configured', onBroker, unresolved: inVault + uncollected, isAtLeast }
}

/** A probe that fails is never a 0. */
async function look({ transport, address }: ConfiguredSource, clock: Clock): Promise<SourceStatus['onBroker']> {
  try {
    const { retained } = await transport.measure(address)
    return { letters: retained, at: clock.now() }
  } catch (error) {
    if (hasCode(error, 'closed')) throw error
    return { unknownSince: clock.now(), problem: error instanceof RedriveError ? error.code : 'failed' }
  }
}

export function nameOf({ connection, address }: Source): { connection: string; channel: string; part: string } {
  return { connection, channel: address.name, part: address.part ?? '' }
}

function isThe(source: KnownSource): (configured: ConfiguredSource) => boolean {
  return (configured) => {
    const { connection, channel, part } = nameOf(configured)
    return connection === source.connection && channel === source.channel && part === source.part
  }
}
