import type { Sink } from '../../core/alerts/sink.ts'
import type { LedgerCounts } from '../../core/canary.ts'
import type { Clock } from '../../core/ports.ts'
import type { Vault } from '../../vault/vault.ts'
import type { AlertEngine } from './alert-engine.ts'
import type { Report, Sampler } from './report.ts'

/** Whether replays make progress, whether what they send comes back, and whether they started at their time. */
export function sampleReplays(vault: Vault, clock: Clock, engine: Pick<AlertEngine, 'open'>): Sampler {
  const progress = new Map<number, { readonly done: number; readonly since: number }>()

  async function stuckFor(replay: number, counts: LedgerCounts): Promise<number> {
    const done = doneIn(counts)
    const last = progress.get(replay)
    const since = last?.done === done ? last.since : clock.monotonic() - (last ? 0 : await stuckBefore(replay))
    progress.set(replay, { done, since })
    return clock.monotonic() - since
  }

  /**
   * What another control plane had found to be stuck is so for us, too, since it last got on. Of others we say nothing before we have watched them
   * ourselves: while nobody ran, nothing could get on.
   */
  async function stuckBefore(replay: number): Promise<number> {
    const isKnown = engine.open().some(({ type, subject }) => type === 'replay.stuck' && subject.replay === replay)
    return isKnown ? Math.max(0, clock.now() - (await vault.read('lastProgress', { replay }))) : 0
  }

  return async () => {
    const running = await vault.read('unfinishedReplays', undefined)
    const missed = await vault.read('missedReplays', undefined)
    const reports: Report[] = []
    for (const replay of running) {
      const counts = await vault.read('countLedger', { replay })
      const values = { replayStuckFor: await stuckFor(replay, counts), replayReturned: returnedIn(counts), replayMissed: 0 }
      reports.push({ subject: { source: '', replay }, values })
    }
    for (const replay of missed) reports.push({ subject: { source: '', replay }, values: { ...over, replayMissed: 1 } })
    const ended = engine.open().flatMap(({ subject }) => subject.replay ?? [])
    for (const replay of new Set(ended)) {
      if (![...running, ...missed].includes(replay)) reports.push({ subject: { source: '', replay }, values: over })
    }
    return reports
  }
}

/** Of a replay that nothing is wrong with. */
const over = { replayStuckFor: 0, replayReturned: 0, replayMissed: 0 }

function doneIn({ sent, succeeded, assumed, returned, unknown, refused, skipped }: LedgerCounts): number {
  return sent + 2 * (succeeded + assumed + returned) + unknown + refused + skipped
}

function returnedIn({ sent, succeeded, assumed, returned }: LedgerCounts): number {
  const all = sent + succeeded + assumed + returned
  return all === 0 ? 0 : returned / all
}

/** Whether what is to be said arrives. What still waits for a sink that is gone from the configuration is nobody's failure. */
export function sampleSinks(vault: Vault, clock: Clock, engine: Pick<AlertEngine, 'open'>, sinks: readonly Sink[]): Sampler {
  const names = new Set(sinks.map(({ name }) => name))
  return async () => {
    const health = (await vault.read('sinkHealth', undefined)).filter(({ sink }) => names.has(sink))
    const failing = health.map(({ sink, failingSince }) => ({ sink, since: failingSince }))
    const fine = engine.open().flatMap(({ subject }) => subject.sink ?? [])
    for (const sink of new Set(fine)) if (!health.some((each) => each.sink === sink)) failing.push({ sink, since: null })
    return failing.map(({ sink, since }) => ({
      subject: { source: '', sink },
      values: { sinkFailingFor: since === null ? 0 : Math.max(0, clock.now() - since) },
    }))
  }
}

/** The control plane itself: that it is there at all, and whether its disk has room. */
export function sampleSelf(diskFree: (() => Promise<number>) | undefined): Sampler {
  return async () => [{ subject: { source: '' }, values: diskFree ? { diskFree: await diskFree() } : {} }]
}
