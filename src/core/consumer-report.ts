/**
 * What a consumer tells its control plane, and what it is told back. Names, ids and numbers: there is no field that could hold a payload.
 */
export interface ConsumerReport {
  readonly service: string
  /** Which of the processes of the service. */
  readonly instance: string
  /** Another one in every process, so that what an instance said before it was started anew is not taken for newer. */
  readonly run: string
  /** Counts the reports of a run: one that was overtaken on its way says nothing any more. */
  readonly number: number
  readonly version: string | null
  readonly environment: string
  /** Milliseconds until the next one at the latest. */
  readonly every: number
  /** The consumer has stopped in order; nothing more is to be expected. */
  readonly isLast: boolean
  readonly channels: readonly ChannelReport[]
  /** What became a dead letter since the last report. */
  readonly deadLettered: readonly ReportedLetter[]
  /** What a replay sent back and was completed. Told until the control plane has heard it, so perhaps more than once. */
  readonly succeeded: readonly ReportedSuccess[]
  /** How much was forgotten since the process began, because nobody listened for so long. */
  readonly forgotten: number
}

export const channelStates = ['stopped', 'consuming', 'paused', 'held-up', 'outage'] as const

export type ReportedState = (typeof channelStates)[number]

export interface ChannelReport {
  readonly name: string
  /** The consumer group or subscription, where the broker has them. */
  readonly group: string | null
  /** Where its dead letters go; `null` where failing messages are completed without one. */
  readonly deadLetter: string | null
  readonly state: ReportedState
  /** Handlers that run; messages that wait for their dead-letter channel, and for the end of an outage. */
  readonly running: number
  readonly held: number
  readonly parked: number
  /** Letters that wait in the spool, and files of it that a person must look at. */
  readonly spooled: number
  readonly spoolAside: number
  readonly counts: ChannelCounts
}

/** Since the process began. */
export interface ChannelCounts {
  readonly received: number
  readonly completed: number
  readonly retried: number
  readonly released: number
  readonly failedRuns: number
  readonly deadLettered: number
  readonly publishFailures: number
}

export interface ReportedLetter {
  readonly channel: string
  readonly correlationId: string
}

/** Where it was consumed tells a report of the consumer that the replay was meant for from one of somebody else. */
export interface ReportedSuccess {
  readonly replay: number
  readonly letter: string
  readonly channel: string
  readonly group: string | null
}

export interface ReportAnswer {
  /** The last order for each channel of the service. */
  readonly orders: readonly ChannelOrder[]
}

export interface ChannelOrder {
  readonly channel: string
  readonly order: 'pause' | 'resume'
  /** Grows: an order is carried out once. */
  readonly number: number
}

/** What one report may hold at most; the rest waits for the next one. Together it stays below a request of 1 MiB. */
export const mostReported = { channels: 200, deadLettered: 500, succeeded: 2000 } as const

/** Names of letters and ids are anybody's: one that is longer is not reported. */
export const longestReportedName = 200
