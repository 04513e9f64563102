import { delayFor } from '../../core/backoff.ts'
import { type ChannelReport, longestReportedName, mostReported } from '../../core/consumer-report.ts'
import type { Backoff } from '../../core/policy.ts'
import type { Cancel } from '../../core/ports.ts'
import type { ChannelSettings } from '../channel-options.ts'
import type { Events } from '../events.ts'
import type { Logger } from '../logger.ts'
import type { Platform } from '../platform.ts'
import type { ConsumerIdentity } from '../scope.ts'
import { type Processed, successOf } from './channel-report.ts'
import type { ControlPlaneSettings } from './control-plane-options.ts'
import { type Answer, createLine } from './line.ts'
import type { News, Told } from './news.ts'
import { createObedience, type Steering } from './obedience.ts'

/**
 * Tells the control plane how this consumer is doing: every few seconds, and at once when there is news. It stands beside the messages
 * and never in their way: whatever the control plane does or does not do costs no more than the memory for what it has not heard.
 */
export interface Reporter {
  /** A message that a replay sent back was processed and completed. */
  succeeded(processed: Processed, channel: ChannelSettings): void
  start(): void
  /** Says goodbye, with what is still news. Ends soon, whatever the control plane does. */
  stop(): Promise<void>
}

/** The consumer, as far as there is something to report about it and to steer. */
export interface ReportHost extends Steering {
  readonly identity: ConsumerIdentity
  readonly platform: Platform
  readonly logger: Logger
  readonly events: Events
  channels(): readonly ChannelReport[]
}

/** News wait for each other so long: a thousand letters of one moment are a few reports. */
const leastPause = 250
const answerWithin = 10_000
const goodbyeWithin = 2000
const triesAgain: Backoff = { kind: 'exponential', first: 1000, max: 30_000, factor: 2, jitter: 1 }
/** Trying it again will not make a token good, and each try stands in the audit trail there. */
const triesRefusedAgain: Backoff = { ...triesAgain, first: 10_000, max: 300_000 }

export function createReporter(settings: ControlPlaneSettings, host: ReportHost, news: News): Reporter {
  const { platform, events } = host
  const { clock } = platform
  const line = createLine(settings, platform)
  const obey = createObedience(host)
  const run = platform.newId()
  const { service, version = null, environment } = host.identity
  const identity = { service, instance: settings.instance ?? run, run, version, environment, every: settings.every }
  let number = 0
  let isRunning = false
  let failures = 0
  let pauseAfterFailure = triesAgain
  /** Of what one report may hold: less, when that was too much. */
  let share = 1
  let begunAt = Number.NEGATIVE_INFINITY
  let due = Number.POSITIVE_INFINITY
  let cancel: Cancel = () => {}
  let telling: Promise<void> | undefined
  /** Something happened since the last report was written. */
  let isStale = false

  function tellLetter({ channel, correlationId }: { channel: string; correlationId: string | undefined }): void {
    if (!correlationId) return
    news.deadLettered({ channel, correlationId: correlationId.slice(0, longestReportedName) })
    hurry()
  }

  /** While nobody listens there is no hurry: the next try brings everything. */
  function hurry(): void {
    isStale = true
    if (isRunning && failures === 0) schedule(begunAt + leastPause)
  }

  function schedule(at: number): void {
    if (telling || at >= due) return
    cancel()
    due = at
    cancel = clock.after(Math.max(0, at - clock.monotonic()), begin, { background: true })
  }

  function begin(): void {
    due = Number.POSITIVE_INFINITY
    telling = tell(answerWithin, false).then(() => {
      telling = undefined
      if (isRunning) schedule(nextAt())
    })
  }

  function nextAt(): number {
    if (failures > 0) return clock.monotonic() + delayFor(pauseAfterFailure, failures, platform.random())
    return begunAt + (isStale || !news.isEmpty ? leastPause : settings.every)
  }

  /** Never rejects: a mistake here must not end the process that consumes. */
  async function tell(within: number, isLast: boolean): Promise<void> {
    try {
      await tellOnce(within, isLast)
    } catch {
      failures++
    }
  }

  async function tellOnce(within: number, isLast: boolean): Promise<void> {
    begunAt = clock.monotonic()
    isStale = false
    const told = news.next(share)
    const channels = host.channels().slice(0, mostReported.channels)
    const report = { ...identity, number: ++number, isLast, channels, ...told, forgotten: news.forgotten }
    const answer = await line.tell(report, within)
    if (answer && answer.status >= 200 && answer.status < 300) heard(told, answer)
    else notHeard(answer)
  }

  function heard(told: Told, { json }: Answer): void {
    news.heard(told)
    if (failures > 0) log('info', { failures }, 'The control plane hears us again')
    failures = 0
    if (settings.mayPause && isRunning) obey(json)
  }

  function notHeard(answer: Answer | undefined): void {
    failures++
    const { status } = answer ?? {}
    const isRefused = status === 401 || status === 403
    pauseAfterFailure = isRefused ? triesRefusedAgain : triesAgain
    if (status === 413) share /= 2
    if (failures > 1 || !isRunning) return
    if (isRefused)
      log(
        'error',
        { status },
        'The control plane refuses this consumer: its token lacks consumers:report, or sources that it had',
      )
    else log('warn', { status }, 'The control plane does not hear us; reports wait, and messages go on')
  }

  /** The logger is the user's, and may throw. */
  function log(level: 'info' | 'warn' | 'error', fields: object, message: string): void {
    try {
      host.logger[level](fields, message)
    } catch {}
  }

  return {
    succeeded(processed, channel) {
      const success = successOf(processed, channel)
      if (!success) return
      news.succeeded(success)
      hurry()
    },
    start() {
      isRunning = true
      events.on('dead-lettered', tellLetter)
      events.on('invalid', tellLetter)
      for (const name of ['paused', 'resumed', 'breaker-opened', 'breaker-closed'] as const) events.on(name, hurry)
      begin()
    },
    async stop() {
      if (!isRunning) return
      isRunning = false
      cancel()
      line.hangUp()
      await telling
      const until = clock.monotonic() + goodbyeWithin
      failures = 0
      do await tell(until - clock.monotonic(), true)
      while (failures === 0 && !news.isEmpty && clock.monotonic() < until)
    },
  }
}
