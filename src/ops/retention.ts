import type { Clock } from '../core/ports.ts'
import { type Ended, settledStates } from '../vault/operations/endings.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import { forgetRecords, type RecordRules } from './forget-records.ts'
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

export interface RetentionRules extends Retention, RecordRules {
  /** Sources with a retention of their own, which is complete. */
  readonly ofSource?: (source: KnownSource) => Retention | undefined
}

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
    let outdated = 0
    for (const source of group.sources) {
      expired += await expire(source, group.retention, vault, clock)
      const before = sinceOf(group.retention.letters, clock)
      outdated += await purge([source], { before, most: Number.POSITIVE_INFINITY }, vault, clock)
    }
    const surplus = group.letters - outdated - (group.retention.count ?? Number.POSITIVE_INFINITY)
    purged += outdated + (await purge(group.sources, { before: clock.now(), most: surplus }, vault, clock))
  }
  await forgetRecords(rules, vault, clock)
  // Somebody may have been stopped while erasing.
  await shredWords(vault)
  return { expired, purged }
}

function groupsOf({ ofSource, replays: _, ...forAll }: RetentionRules, known: readonly KnownSource[]): readonly Group[] {
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

async function expire(source: number, retention: Retention, vault: Vault, clock: Clock): Promise<number> {
  const since = sinceOf(retention.open, clock)
  const query = { states: ['open'] as const, sources: [source], before: since }
  return each(query, Number.POSITIVE_INFINITY, vault, (letters) =>
    vault.write('expireLetters', { letters, since, now: clock.now() }),
  )
}

async function purge(
  sources: readonly number[],
  { before, most }: { readonly before: number; readonly most: number },
  vault: Vault,
  clock: Clock,
): Promise<number> {
  const rememberUntil = clock.now() + remembered
  return each({ states: settledStates, sources, before }, most, vault, (letters) =>
    vault.write('purgeLetters', { letters, rememberUntil, settledBefore: before }),
  )
}

/** Page by page, each from where the last one ended: what was removed stands in the index for a while, and nobody walks over it again. */
async function each(
  query: Pick<Ended, 'states' | 'sources' | 'before'>,
  most: number,
  vault: Vault,
  act: (letters: readonly number[]) => Promise<{ readonly letters: number }>,
): Promise<number> {
  if (query.before === Number.NEGATIVE_INFINITY) return 0
  for (let [done, from] = [0, 0]; ; ) {
    if (done >= most) return done
    const letters = await vault.read('longestEnded', { ...query, from, limit: Math.min(page, most - done) })
    if (letters.length === 0) return done
    const { letters: changed } = await act(letters.map(({ id }) => id))
    // Somebody else had them all: they will be looked at again next time.
    if (changed === 0) return done
    done += changed
    from = letters.at(-1)?.since ?? from
  }
}
