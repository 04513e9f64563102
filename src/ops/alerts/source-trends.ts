import type { Clock } from '../../core/ports.ts'
import type { SourceName } from '../../vault/operations/sources.ts'
import type { Vault } from '../../vault/vault.ts'
import { type ConfiguredSource, isThe } from '../sources.ts'
import { grown } from './flow-of-source.ts'
import { subjectOf } from './prober.ts'
import { engineTime } from './timeline.ts'

/** How many letters of a source asked for attention, as whoever watches it saw. */
export interface SourceTrend extends SourceName {
  /** Its id in the vault. */
  readonly source: number
  /** The oldest first. */
  readonly steps: readonly TrendStep[]
}

/** Everything is null where nobody looked in that time, or the look failed. */
export interface TrendStep {
  /** Its end, epoch milliseconds. */
  readonly at: number
  readonly letters: number | null
  /** At least so many came and went in this step; null also where nobody looked in the step before. */
  readonly came: number | null
  readonly went: number | null
}

export interface TrendWindow {
  /** How many steps, up to now. */
  readonly count: number
  /** Milliseconds. */
  readonly step: number
}

/** Of every source that is watched, for as long as looks are kept. */
export async function sourceTrends(
  configured: readonly ConfiguredSource[],
  vault: Vault,
  clock: Clock,
  { count, step }: TrendWindow,
): Promise<readonly SourceTrend[]> {
  const wallNow = clock.now()
  // Looks are kept under the engine's time, which the wall clock may have left behind.
  const ahead = engineTime(await vault.read('engineState', undefined), wallNow) - wallNow
  const ends = Array.from({ length: count }, (_, index) => wallNow - (count - 1 - index) * step)
  const trends: SourceTrend[] = []
  for (const known of await vault.read('listSources', undefined)) {
    const source = configured.find(isThe(known))
    if (!source) continue
    const looks = await vault.read('lastSamples', { subject: subjectOf(source), ends: ends.map((end) => end + ahead), step })
    const { id, connection, channel, part, group } = known
    const steps = looks.map((look, index) => {
      const [before, now] = [looks[index - 1]?.values, look?.values]
      return {
        at: ends[index] ?? wallNow,
        letters: now?.letters ?? null,
        came: grown(before?.cameTotal, now?.cameTotal),
        went: grown(before?.wentTotal, now?.wentTotal),
      }
    })
    trends.push({ source: id, connection, channel, part, group, steps })
  }
  return trends
}
