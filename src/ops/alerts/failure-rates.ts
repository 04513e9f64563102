import { type Subject, subjectKey } from '../../core/alerts/identity.ts'
import type { Clock } from '../../core/ports.ts'
import type { KeptSample } from '../../vault/operations/alert-samples.ts'
import type { Vault } from '../../vault/vault.ts'
import { engineTime } from './timeline.ts'

/** What consumers took and what they gave up, step by step. */
export interface FailureRates {
  /** Milliseconds. */
  readonly step: number
  readonly channels: readonly ChannelRates[]
}

export interface ChannelRates {
  readonly service: string
  readonly channel: string
  readonly group: string | null
  /** Steps in which nobody looked are missing. `at` is their beginning, epoch milliseconds. */
  readonly steps: readonly { readonly at: number; readonly handled: number; readonly deadLettered: number }[]
}

/** The same numbers that the rules about failing consumers compare, for as long as looks are kept. */
export async function failureRates(
  vault: Vault,
  clock: Clock,
  { since, step }: { readonly since: number; readonly step: number },
): Promise<FailureRates> {
  const wallNow = clock.now()
  const now = engineTime(await vault.read('engineState', undefined), wallNow)
  // One step more, because a counter says nothing without what it was before.
  const samples = await vault.read('countedSamples', { since: now - (wallNow - since) - step, step })
  const bySubject = Map.groupBy(samples, ({ subject }) => subjectKey(subject))
  const channels = [...bySubject.values()].flatMap((own) => (own[0] ? [ratesOf(own[0].subject, own, step, since)] : []))
  return { step, channels }
}

function ratesOf(subject: Subject, samples: readonly KeptSample[], step: number, since: number): ChannelRates {
  const steps = samples.slice(1).map(({ takenAt, values = {} }, index) => {
    const before = samples[index]?.values ?? {}
    return {
      at: Math.floor(takenAt / step) * step,
      handled: grown(before.handledTotal, values.handledTotal),
      deadLettered: grown(before.deadLetteredTotal, values.deadLetteredTotal),
    }
  })
  return {
    service: subject.source,
    channel: subject.queue ?? '',
    group: subject.consumerGroup ?? null,
    steps: steps.filter(({ at }) => at + step > since),
  }
}

/** A counter that is smaller than before has started anew at 0. */
function grown(before = 0, now = 0): number {
  return now >= before ? now - before : now
}
