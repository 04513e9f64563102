import { formatDuration, parseDuration } from '../duration.ts'
import { type Alerting, createAlerting, type SavedAlerting } from './alerting.ts'
import { defaultRules } from './default-rules.ts'
import type { Saying } from './group-book.ts'
import type { GroupTimers } from './grouping.ts'
import type { Subject } from './identity.ts'
import type { MaintenanceWindow } from './maintenance-window.ts'
import type { Marks, Quiet } from './mute.ts'
import type { RaisedAlert } from './raised-alert.ts'
import { resumedTime } from './restart.ts'
import type { Rule, RuleType } from './rule.ts'
import type { Evidence, Sample, Values } from './sample.ts'
import type { Silence } from './silence.ts'
import type { Sink } from './sink.ts'

export const noon: number = Date.UTC(2030, 0, 2, 12)
export const orders: Subject = { source: 'shop', queue: 'dlq.orders' }
export const cause: Subject = { source: 'shop', cause: 'c1' }

/** Only these rules, so that a timeline shows one thing. */
export function only(...types: readonly (RuleType | string)[]): readonly Rule[] {
  return defaultRules.filter(({ type, id }) => types.includes(type) || types.includes(id))
}

export interface PlayOptions {
  readonly rules?: readonly Rule[]
  readonly sinks?: readonly Sink[]
  readonly windows?: readonly MaintenanceWindow[]
  readonly timers?: GroupTimers
  /** For a planted bug. */
  readonly plant?: (alerting: Alerting) => Alerting
}

/** What may happen in a timeline. Times are given as `90s`, from now on. */
export interface Play {
  /** One look. */
  see(values: Values, subject?: Subject, evidence?: Evidence): void
  /** Many looks at one moment. */
  seeAll(values: Values, subjects: readonly Subject[]): void
  /** A look that fails. */
  fail(subject?: Subject, code?: string): void
  /** Time passes; whatever is due is said at its own moment. */
  pass(span: string): void
  /** Looks again and again: `every` so often, one value after the other. `x` fails, `_` is no look at all. */
  looks(every: string, values: string, measurement?: keyof Values, subject?: Subject): void
  silence(silence: Partial<Silence> & { readonly matchers: Silence['matchers'] }, span: string): void
  mark(subject: RaisedAlert['fingerprint'] | undefined, marks: Partial<Marks>, span: string): void
  /** The process ends and another one goes on with what was kept, after so long. */
  restart(outage?: string, changes?: { readonly rules?: readonly Rule[] }): void
  /** The wall clock alone. */
  jump(ms: number): void
  forget(subject: Subject): void
  readonly now: number
  readonly alerts: readonly RaisedAlert[]
  /** What was said, as lines: when, to whom if there are several, why, and each alert with its state. */
  readonly lines: readonly string[]
  readonly sayings: readonly (Saying & { readonly at: number })[]
}

export const everySink: Sink = { name: 'mail', takes: () => true }

export function play(options: PlayOptions = {}): Play {
  const { sinks = [everySink], windows = [], timers, plant = (alerting) => alerting } = options
  let rules = options.rules ?? defaultRules
  const looked: Sample[] = []
  const kept = { alerts: new Map<string, string>(), groups: new Map<string, string>(), digests: '{}' }
  let now = noon
  let wallOffset = 0
  const silences: Silence[] = []
  const marks = new Map<string, Marks>()
  const sayings: (Saying & { at: number })[] = []
  const lines: string[] = []
  let alerting = open(0)

  function open(outage: number): Alerting {
    return plant(
      createAlerting({
        rules,
        sinks,
        saved: savedIn(kept),
        outage,
        moment: moment(),
        instance: 'redrive-1',
        componentOf: () => 'RabbitMQ',
        ...(timers && { timers }),
      }),
    )
  }

  function moment(): { now: number; wallNow: number } {
    return { now, wallNow: now + wallOffset }
  }

  function quiet(): Quiet {
    return { silences, windows, marks }
  }

  function say(): void {
    for (const saying of alerting.speak(quiet(), moment())) {
      sayings.push({ ...saying, at: now })
      lines.push(lineOf(saying))
    }
    keep()
  }

  /** As the vault does it: what has changed, and only that, as text. */
  function keep(): void {
    const { alerts, groups, digests } = alerting.changes()
    write(kept.alerts, alerts)
    write(kept.groups, groups)
    kept.digests = JSON.stringify(digests)
  }

  function lineOf({ sink, notification }: Saying): string {
    const { reason, alerts, more, status } = notification
    const told = alerts.map((alert) => `${alert.rule}${alert.isFlapping ? ' flapping' : ''} ${alert.status}`)
    const shown = told.length > 3 ? `${told.length + more} alerts ${status}` : told.join(', ')
    return `${formatDuration(now - noon)} ${sinks.length > 1 ? `${sink} ` : ''}${reason}: ${shown}`
  }

  function pass(ms: number): void {
    const until = now + ms
    for (let due = alerting.due(); due <= until; due = alerting.due()) {
      now = Math.max(now, due)
      say()
    }
    now = until
    say()
  }

  function seen(sample: { values: Values } | { failed: string }, subject: Subject, evidence?: Evidence): void {
    const look: Sample = { subject, at: now, ...sample, ...(evidence && { evidence }) }
    looked.push(look)
    alerting.look([look], moment())
    say()
  }

  return {
    see: (values, subject = orders, evidence) => seen({ values }, subject, evidence),
    seeAll(values, subjects) {
      alerting.look(
        subjects.map((subject) => ({ subject, at: now, values })),
        moment(),
      )
      say()
    },
    fail: (subject = orders, code = 'unreachable') => seen({ failed: code }, subject),
    pass: (span) => pass(parseDuration(span, 'span')),
    looks(every, values, measurement = 'letters', subject = orders) {
      for (const [, value = '', times] of values.matchAll(/(\S+?)(?:\*(\d+))?(?:\s|$)/g)) {
        for (let time = 0; time < Number(times ?? 1); time++) {
          if (value === 'x') seen({ failed: 'unreachable' }, subject)
          else if (value !== '_') seen({ values: { [measurement]: Number(value) } }, subject)
          pass(parseDuration(every, 'every'))
        }
      }
    },
    silence(silence, span) {
      silences.push({ starts: now, ends: now + parseDuration(span, 'span'), evenProtected: false, ...silence })
    },
    mark(fingerprint, change, span) {
      const alert = [...alerting.alerts()].find((each) => fingerprint === undefined || each.fingerprint === fingerprint)
      if (!alert) throw new Error('There is no alert to mark.')
      const until = now + parseDuration(span, 'span')
      const own = Object.fromEntries(
        Object.entries(change).map(([name, value]) => [name, name.endsWith('Until') ? until : value]),
      )
      marks.set(alert.fingerprint, { episode: alert.state.episode, ...marks.get(alert.fingerprint), ...own })
    },
    restart(outage = '0s', changes = {}) {
      keep()
      rules = changes.rules ?? rules
      const ms = parseDuration(outage, 'outage')
      const resumed = resumedTime({ at: now, savedAt: now + wallOffset }, now + wallOffset + ms)
      now = resumed.at
      alerting = open(resumed.outage)
      alerting.recall(looked)
      say()
    },
    jump(ms) {
      wallOffset += ms
    },
    forget(subject) {
      alerting.forget(({ subject: own }) => own.source === subject.source && own.queue === subject.queue, moment())
      say()
    },
    get now() {
      return now
    },
    get alerts() {
      return [...alerting.alerts()]
    },
    lines,
    sayings,
  }
}

interface Kept {
  readonly alerts: ReadonlyMap<string, string>
  readonly groups: ReadonlyMap<string, string>
  readonly digests: string
}

function savedIn({ alerts, groups, digests }: Kept): SavedAlerting {
  const read = <T>(texts: ReadonlyMap<string, string>): readonly T[] => [...texts.values()].map((text) => JSON.parse(text) as T)
  return { alerts: read(alerts), groups: read(groups), digests: JSON.parse(digests) as SavedAlerting['digests'] }
}

function write(kept: Map<string, string>, changes: ReadonlyMap<string, unknown>): void {
  for (const [key, item] of changes) {
    if (item === undefined) kept.delete(key)
    else kept.set(key, JSON.stringify(item))
  }
}
