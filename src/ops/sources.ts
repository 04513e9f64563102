import type { BodyChecks } from '../core/body-check.ts'
import { codeOf, hasCode } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Measure } from '../transports/seam.ts'
import { unresolvedStates } from '../vault/letter-states.ts'
import { isSameSource, type KnownSource, type SourceName } from '../vault/operations/sources.ts'
import type { Destination } from '../vault/replay-rows.ts'
import type { Vault } from '../vault/vault.ts'
import type { SourceStatus, TimeToLoss } from './control-plane.ts'
import { createOldestOpen, type OldestOpen } from './oldest-open.ts'
import { aloneSince, isCopiedSource, isTakenIn, readingProblem } from './reading.ts'
import type { Retention } from './retention.ts'
import { nameOf, type Source } from './source.ts'

export interface ConfiguredSource extends Source {
  readonly mode: 'watch' | 'follow' | 'collect'
  /** Of its letters alone, and complete. */
  readonly retention?: Retention
  /** Where replays go when the letter does not say where it came from. */
  readonly returnTo?: Destination
  /** Whether its letters can be found by words in their bodies. */
  readonly searchBodies?: boolean
  /** How often it is looked at for alerts. Milliseconds; a minute where nobody says. */
  readonly probeEvery?: number
  /** What edited bodies are compared with. */
  readonly schemas?: BodyChecks
}

/** People ask again as fast as letters come. */
const oldestEvery = 1000

/** Every source that is configured or has letters, with what lies on the broker and what lies in the vault. */
export function sourcesIn(
  configured: readonly ConfiguredSource[],
  vault: Vault,
  clock: Clock,
  unknownSince: UnknownSince,
): () => Promise<readonly SourceStatus[]> {
  const looking: Looking = {
    clock,
    unknownSince,
    failingSince: new Map(),
    oldestInVault: createOldestOpen(vault, clock, oldestEvery),
  }
  return async () => {
    const known = await knownSources(configured, vault)
    return Promise.all(known.map((source) => statusOf(source, configured.find(isThe(source)), looking)))
  }
}

interface Looking {
  readonly clock: Clock
  readonly unknownSince: UnknownSince
  /** The first of the looks that failed in a row, for where nobody looks but who asks. */
  readonly failingSince: Map<ConfiguredSource, number>
  readonly oldestInVault: OldestOpen
}

/** Since when nobody can look at a source, where somebody looks all the time. Epoch milliseconds. */
export type UnknownSince = (source: Source) => number | undefined

/** One that nobody has read yet is written down first; looking at those that are known writes nothing. */
async function knownSources(configured: readonly ConfiguredSource[], vault: Vault): Promise<readonly KnownSource[]> {
  const known = await vault.read('listSources', undefined)
  const fresh = configured.filter((source) => !known.some((other) => isThe(other)(source)))
  for (const source of fresh) await vault.write('registerSource', nameOf(source))
  return fresh.length === 0 ? known : vault.read('listSources', undefined)
}

async function statusOf(source: KnownSource, configured: ConfiguredSource | undefined, looking: Looking): Promise<SourceStatus> {
  const inVault = [...unresolvedStates].reduce((sum, state) => sum + (source.letters[state] ?? 0), 0)
  const { onBroker, loss, oldestAt: oldestThere } = configured ? await look(configured, source, looking) : nobodyLooks(looking)
  // What is copied lies on the broker and in the vault: it is counted where people work on it.
  const isCopied = configured !== undefined && isCopiedSource(configured, source)
  const uncollected = !isCopied && 'letters' in onBroker ? onBroker.letters : 0
  const reading = configured && readingOf(configured, source)
  // What came since a copy was read last is nowhere counted.
  const isAtLeast = 'problem' in onBroker || (isCopied && readingProblem(configured, source) !== null)
  const mode = configured?.mode ?? 'not-configured'
  const times = [uncollected > 0 ? oldestThere : undefined, await looking.oldestInVault(source)].filter(
    (time) => time !== undefined,
  )
  return {
    ...{ source, mode, onBroker, unresolved: inVault + uncollected, isAtLeast },
    ...(times.length > 0 && { oldestAt: Math.min(...times) }),
    ...(loss && { loss }),
    ...(reading && { reading }),
  }
}

/** Nothing where nobody has read it, and nobody tried. */
function readingOf(configured: ConfiguredSource, source: KnownSource): SourceStatus['reading'] {
  const problem = readingProblem(configured, source)
  if (source.readAt === null && !problem) return undefined
  return { ...(source.readAt !== null && { at: source.readAt }), ...(problem && { problem }) }
}

interface Looked {
  readonly onBroker: SourceStatus['onBroker']
  readonly oldestAt?: number
  readonly loss?: TimeToLoss
}

function nobodyLooks({ clock }: Looking): Looked {
  return { onBroker: { letters: 0, at: clock.now() } }
}

/** A probe that fails is never a 0. */
async function look(
  configured: ConfiguredSource,
  source: KnownSource,
  { clock, unknownSince, failingSince }: Looking,
): Promise<Looked> {
  try {
    const measured = await configured.transport.measure(configured.address)
    failingSince.delete(configured)
    const loss = lossOf(configured, source, measured, clock.now())
    return {
      onBroker: { letters: lettersOnBroker(configured, measured), at: clock.now() },
      ...(measured.oldestAt !== undefined && { oldestAt: measured.oldestAt }),
      ...(loss && { loss }),
    }
  } catch (error) {
    if (hasCode(error, 'closed')) throw error
    const first = failingSince.get(configured) ?? clock.now()
    failingSince.set(configured, first)
    return { onBroker: { unknownSince: unknownSince(configured) ?? first, problem: codeOf(error) } }
  }
}

function lossOf(configured: ConfiguredSource, source: KnownSource, measured: Measure, now: number): TimeToLoss | undefined {
  const { keepsFor } = measured
  if (keepsFor === undefined) return undefined
  const isCopied = isTakenIn(configured, source) && readingProblem(configured, source) === null
  const goesFirst = aloneSince(configured, source, measured, now) ?? measured.oldestAt
  return { keepsFor, isCopied, ...(goesFirst !== undefined && { nextAt: goesFirst + keepsFor }) }
}

/** A log keeps what was collected, so that only what lies beyond the collector's cursor is not counted elsewhere. */
export function lettersOnBroker({ mode }: ConfiguredSource, { retained, pending }: Measure): number {
  return mode === 'collect' ? pending : retained
}

export function isThe(source: SourceName): (configured: ConfiguredSource) => boolean {
  return (configured) => isSameSource(nameOf(configured), source)
}
