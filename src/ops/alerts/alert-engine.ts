import type { Transition } from '../../core/alerts/alert-book.ts'
import { type Alerting, createAlerting } from '../../core/alerts/alerting.ts'
import type { GroupTimers } from '../../core/alerts/grouping.ts'
import { longestMemory } from '../../core/alerts/history.ts'
import type { MaintenanceWindow } from '../../core/alerts/maintenance-window.ts'
import type { Quiet } from '../../core/alerts/mute.ts'
import { isOpen, type RaisedAlert } from '../../core/alerts/raised-alert.ts'
import type { Rule } from '../../core/alerts/rule.ts'
import type { Sample } from '../../core/alerts/sample.ts'
import type { Sink } from '../../core/alerts/sink.ts'
import type { Cancel, Clock } from '../../core/ports.ts'
import type { Vault } from '../../vault/vault.ts'
import { newestLetter } from '../newest-letter.ts'
import type { Report } from './report.ts'
import { createSampleKeeper } from './sample-keeper.ts'
import { createTimeline, type Timeline } from './timeline.ts'
import { createUnsaved } from './unsaved.ts'

/**
 * The alerts of a control plane: it hears what others saw, decides, and commits what changed together with what is to be said. What could not be
 * committed was not said, and is committed with the next.
 */
export interface AlertEngine {
  report(reports: readonly Report[]): void
  /** Somebody changed a silence or a mark. */
  quietChanged(): void
  /** Those that are not over for people: what flaps is looked at until it has settled, whatever it is at the moment. */
  open(): readonly RaisedAlert[]
  /** The last letter that was looked at. What there was before the first engine is no news. */
  readonly lastLetter: number
  told(lastLetter: number): void
  /** Its own time now. */
  now(): number
  /** Resolves when everything that was reported before is durable, or could not be made so. */
  settled(): Promise<void>
  stop(): Promise<void>
}

export interface AlertEngineOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly rules: readonly Rule[]
  readonly sinks: readonly Sink[]
  readonly windows: readonly MaintenanceWindow[]
  readonly timers?: GroupTimers
  readonly instance: string
  readonly dashboard?: string
  readonly componentOf: (source: string) => string
  /** Alerts about what is not watched any more. */
  readonly isGone: (alert: RaisedAlert) => boolean
  readonly onChange: (transition: Transition) => void
  readonly onSaid: () => void
  readonly onProblem: (error: unknown) => void
}

/** Silences may be made by another process on the same vault. */
const quietEvery = 5000
const tryAgainAfter = 2000
const mostRecalled = 500_000

export async function startAlertEngine(options: AlertEngineOptions): Promise<AlertEngine> {
  const { vault, clock } = options
  const { alerts, groups, engine } = await vault.read('savedAlerts', undefined)
  const timeline = createTimeline(clock, engine)
  const begin = timeline.moment()
  const saved = { alerts, groups, digests: engine?.digests ?? {} }
  const alerting = createAlerting({ ...options, saved, outage: timeline.outage, moment: begin })
  alerting.recall(await vault.read('recentSamples', { since: begin.now - longestMemory, limit: mostRecalled }))
  const lastLetter = engine?.lastLetter ?? (await newestLetter(vault))
  return runEngine(options, alerting, timeline, lastLetter)
}

function runEngine(options: AlertEngineOptions, alerting: Alerting, timeline: Timeline, lastLetter: number): AlertEngine {
  const { vault, clock, windows, onChange, onSaid, onProblem } = options
  const unsaved = createUnsaved()
  const keeper = createSampleKeeper()
  let heard: Sample[] = []
  let quiet: Quiet = { silences: [], windows, marks: new Map() }
  let quietReadAt = Number.NEGATIVE_INFINITY
  let seenLetter = lastLetter
  let turning: Promise<void> | undefined
  let again = false
  let stopped = false
  let cancel: Cancel = () => {}

  /** One turn at a time; what comes meanwhile is for the next. */
  function turn(): void {
    cancel()
    again = true
    turning ??= turns().finally(() => {
      turning = undefined
    })
  }

  async function turns(): Promise<void> {
    let isWell = true
    while (again && isWell) {
      again = false
      isWell = await turnOnce().then(
        () => true,
        (error) => {
          onProblem(error)
          return false
        },
      )
    }
    if (stopped) return
    const wait = isWell ? Math.min(quietEvery, Math.max(0, alerting.due() - timeline.moment().now)) : tryAgainAfter
    cancel = clock.after(wait, turn, { background: true })
  }

  async function turnOnce(): Promise<void> {
    await readQuiet()
    const samples = heard
    heard = []
    const moment = timeline.moment()
    const transitions = alerting.look(samples, moment)
    const sayings = alerting.speak(quiet, moment)
    unsaved.add(alerting.changes(), sayings, keeper.worthKeeping(samples))
    if (unsaved.isEmpty()) return
    await vault.write('commitAlerts', unsaved.commit({ at: moment.now, savedAt: moment.wallNow, lastLetter: seenLetter }))
    unsaved.committed()
    for (const transition of transitions) onChange(transition)
    if (sayings.length > 0) onSaid()
  }

  async function readQuiet(): Promise<void> {
    const { now } = timeline.moment()
    if (now - quietReadAt < quietEvery) return
    const { silences, marks } = await vault.read('quietAt', { now })
    quiet = { silences, windows, marks: new Map(marks) }
    quietReadAt = now
  }

  alerting.forget(options.isGone, timeline.moment())
  turn()

  return {
    report(reports) {
      if (stopped || reports.length === 0) return
      const { now: at } = timeline.moment()
      heard.push(...reports.map((report) => ({ ...report, at })))
      turn()
    },
    quietChanged() {
      quietReadAt = Number.NEGATIVE_INFINITY
      turn()
    },
    open: () => [...alerting.alerts()].filter(isOpen),
    get lastLetter() {
      return seenLetter
    },
    told(letter) {
      seenLetter = letter
    },
    now: () => timeline.moment().now,
    settled: async () => turning,
    async stop() {
      stopped = true
      cancel()
      await turning
      cancel()
    },
  }
}
