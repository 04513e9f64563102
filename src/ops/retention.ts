import type { LetterState } from '../core/letter-states.ts'
import type { Clock } from '../core/ports.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import { shredWords } from './shred-words.ts'

/** Milliseconds; what is absent is kept for ever. */
export interface Retention {
  /** Since they were settled: replayed, returned, discarded or expired. */
  readonly letters?: number
  /** Since they came, for letters that nobody has settled. They expire first, and are settled then. */
  readonly open?: number
  /** The most letters that are kept. Only settled ones go for it. */
  readonly count?: number
}

export interface RetentionRules extends Retention {
  /** Sources with a retention of their own, which is complete. */
  readonly ofSource?: (source: KnownSource) => Retention | undefined
}

const settled: readonly LetterState[] = ['succeeded', 'assumed', 'returned', 'discarded', 'expired']
const page = 500
/** For how long an identity outlives its letter: the longest that a broker of ours keeps a copy which could be found once more. */
export const remembered: number = 400 * 24 * 3_600_000

export interface Swept {
  readonly expired: number
  readonly purged: number
}

/** Sources that share a retention. */
interface Group {
  readonly retention: Retention
  readonly sources: readonly number[]
  /** Letters that it has in the vault. */
  readonly letters: number
}

/** Takes away what is older than it may be, and what is more than may be kept, in short transactions; tells how much. */
export async function sweep(rules: RetentionRules, vault: Vault, clock: Clock): Promise<Swept> {
  let [expired, purged] = [0, 0]
  for (const group of groupsOf(rules, await vault.read('listSources', undefined))) {
    expired += await expire(group, vault, clock)
    const outdated = await purge(group, { before: sinceOf(group.retention.letters, clock) }, vault, clock)
    const surplus = group.letters - outdated - (group.retention.count ?? Number.POSITIVE_INFINITY)
    purged += outdated + (await purge(group, { most: surplus }, vault, clock))
  }
  await vault.write('forgetTombstones', { now: clock.now() })
  // Somebody may have been stopped while erasing.
  await shredWords(vault)
  return { expired, purged }
}

function groupsOf({ ofSource, ...forAll }: RetentionRules, known: readonly KnownSource[]): readonly Group[] {
  const groups = known.map((source) => ({ source, retention: ofSource?.(source) }))
  const group = (retention: Retention, sources: readonly KnownSource[]): Group => ({
    retention,
    sources: sources.map(({ id }) => id),
    letters: sources.reduce((sum, source) => sum + keptOf(source), 0),
  })
  return [
    ...groups.flatMap(({ source, retention }) => (retention ? [group(retention, [source])] : [])),
    group(
      forAll,
      groups.filter(({ retention }) => !retention).map(({ source }) => source),
    ),
  ]
}

function keptOf({ letters }: KnownSource): number {
  return Object.entries(letters).reduce((sum, [state, count]) => (state === 'purged' ? sum : sum + count), 0)
}

function sinceOf(age: number | undefined, clock: Clock): number {
  return clock.now() - (age ?? Number.POSITIVE_INFINITY)
}

async function expire({ retention, sources }: Group, vault: Vault, clock: Clock): Promise<number> {
  const query = { states: ['open'] as const, sources, before: sinceOf(retention.open, clock) }
  return each(query, Number.POSITIVE_INFINITY, vault, (letters) => vault.write('expireLetters', { letters, now: clock.now() }))
}

async function purge(
  { sources }: Group,
  { before, most = Number.POSITIVE_INFINITY }: { readonly before?: number; readonly most?: number },
  vault: Vault,
  clock: Clock,
): Promise<number> {
  const rememberUntil = clock.now() + remembered
  const query = { states: settled, sources, ...(before !== undefined && { before }) }
  return each(query, most, vault, (letters) => vault.write('purgeLetters', { letters, rememberUntil }))
}

async function each(
  query: { readonly states: readonly LetterState[]; readonly sources: readonly number[]; readonly before?: number },
  most: number,
  vault: Vault,
  act: (letters: readonly number[]) => Promise<{ readonly letters: number }>,
): Promise<number> {
  if (query.before === Number.NEGATIVE_INFINITY) return 0
  for (let done = 0; ; ) {
    if (done >= most) return done
    const letters = await vault.read('longestEnded', { ...query, limit: Math.min(page, most - done) })
    if (letters.length === 0) return done
    const { letters: changed } = await act(letters)
    // Somebody else had them all: they will be looked at again next time.
    if (changed === 0) return done
    done += changed
  }
}
