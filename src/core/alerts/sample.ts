import type { Subject } from './identity.ts'

/**
 * What can be measured. Ages and spans are milliseconds. What ends in `Total` only grows, except where whoever counts starts anew; a window
 * is the difference of two of them.
 */
export interface Values {
  /** Letters that ask for attention: on the broker and not collected, and unresolved in the vault. */
  readonly letters?: number
  /** By how much `letters` rose and fell from look to look: at least so many came and went. What did both between two looks is not seen. */
  readonly cameTotal?: number
  readonly wentTotal?: number
  readonly oldestAge?: number
  /** How much of the time that the broker keeps letters the oldest one has used up, from 0 to 1. */
  readonly retentionUsed?: number
  /** Messages that wait in the channel that letters come from. */
  readonly lag?: number
  readonly consumers?: number
  readonly handledTotal?: number
  readonly deadLetteredTotal?: number
  readonly retriedTotal?: number
  readonly publishFailedTotal?: number
  readonly spooled?: number
  /** Of these, what lies on the disks of consumers that are not there any more. */
  readonly abandonedSpool?: number
  /** Consumers that are not heard of any more, and did not say that they stop. */
  readonly vanishedConsumers?: number
  /** 1 while the channel is paused because nearly everything fails. */
  readonly breakerOpen?: number
  /** How long until messages are lost if nothing changes. */
  readonly untilLoss?: number
  /** Letters that the counters of a source do not agree on. */
  readonly difference?: number
  readonly unsafeSettings?: number
  /** The share of the disk that is free, from 0 to 1. */
  readonly diskFree?: number
  /** Of a cause. */
  readonly causeLettersTotal?: number
  /** Letters of a cause in an hour, in the mean of the last seven days; absent where it is younger than an hour. */
  readonly causeHourlyMean?: number
  readonly causeIsNew?: number
  readonly causeRegressed?: number
  /** How long a running replay has made no progress. */
  readonly replayStuckFor?: number
  /** The share of a replay's letters that was dead-lettered again, from 0 to 1. */
  readonly replayReturned?: number
  /** 1 while a replay waits for a person because it was not started at its time. */
  readonly replayMissed?: number
  /** How long deliveries to a sink have failed. */
  readonly sinkFailingFor?: number
  /** Sources of a connection, those whose last probe failed, and the most failures in a row among them. */
  readonly probedSources?: number
  readonly failingSources?: number
  readonly failuresInARow?: number
}

export type Measurement = keyof Values

export interface ErrorCount {
  /** The name of a class, never the text of an error. */
  readonly errorClass: string
  readonly count: number
  readonly fingerprint: string
}

/** What helps whoever reads an alert to find their way, beside numbers. */
export interface Evidence {
  readonly errors?: readonly ErrorCount[]
  readonly correlationIds?: readonly string[]
}

/** What totals were added up from: no rule looks at it, and whoever goes on counting does. Looks of before this was kept have none. */
export type Counters = Readonly<Record<string, number>>

/**
 * One look at a subject. `at` is the engine's own time, which never goes back. A look that failed is of a kind of its own, with the code of
 * its error, and never a 0.
 */
export type Sample = {
  readonly subject: Subject
  readonly at: number
  readonly evidence?: Evidence
  readonly counters?: Counters
  /** The code of what reading the letters fails with that were counted; empty where somebody tries anew, and nobody knows yet. */
  readonly unread?: string
} & ({ readonly values: Values; readonly failed?: undefined } | { readonly failed: string; readonly values?: undefined })
