import { safeErrorType } from '../sanitise.ts'
import { sha256 } from '../sha256.ts'
import { type AlertState, calm, isUp, step } from './alert-state.ts'
import { mostCorrelationIds, shownCorrelationId } from './correlation-id.ts'
import { check, noFlaps } from './flapping.ts'
import { type History, noHistory, remember } from './history.ts'
import { fingerprintOf, type Subject, subjectKey } from './identity.ts'
import { judge, neededBy } from './judge.ts'
import { isOpen, isShownUp, type RaisedAlert } from './raised-alert.ts'
import { afterOutage } from './restart.ts'
import { inScope, type Rule } from './rule.ts'
import type { Sample } from './sample.ts'
import { type Verdict, verdict } from './verdict.ts'

/** An alert that fired or was resolved by a look. */
export interface Transition {
  readonly change: 'fired' | 'resolved'
  readonly alert: RaisedAlert
}

/** `now` is the engine's own time, `wallNow` epoch milliseconds: what people read. */
export interface Moment {
  readonly now: number
  readonly wallNow: number
}

/** Every alert that there is, and what looks make of them. Deterministic: the same looks at the same times give the same alerts. */
export interface AlertBook {
  look(sample: Sample, moment: Moment): readonly Transition[]
  /** Alerts about something that is not there any more are over. */
  forget(isGone: (alert: RaisedAlert) => boolean, moment: Moment): readonly Transition[]
  get(fingerprint: string): RaisedAlert | undefined
  all(): Iterable<RaisedAlert>
  /** What has changed since it was last asked; an alert that is not kept any more is `undefined`. */
  changes(): ReadonlyMap<string, RaisedAlert | undefined>
  /** For what remembers from before a restart. */
  recall(sample: Sample): void
}

export interface AlertBookOptions {
  readonly rules: readonly Rule[]
  readonly alerts: readonly RaisedAlert[]
  /** How long nobody watched before this. */
  readonly outage: number
  readonly moment: Moment
}

/** Long enough to look back at, and to count episodes on. */
const keptFor = 30 * 24 * 3_600_000
const figuresEvery = 10_000

export function createAlertBook({ rules, alerts: before, outage, moment: begin }: AlertBookOptions): AlertBook {
  const scoped = rules.map((rule) => ({ rule, key: ruleKeyOf(rule), isAbout: inScope(rule.scope) }))
  const alerts = new Map<string, RaisedAlert>()
  const byPlace = new Map<string, string>()
  const histories = new Map<string, History>()
  const changed = new Map<string, RaisedAlert | undefined>()
  const written = new Map<string, number>()

  for (const alert of before) takeOver(alert)

  /** An edit of its condition, its scope or its `for` makes it another rule: what the old one said is over. */
  function takeOver(before: RaisedAlert): void {
    const own = scoped.find(({ rule }) => rule.id === before.rule)
    const alert = own ? asRuled(before, own.rule, own.key) : before
    if (own?.key === before.ruleKey) {
      keep({ ...alert, state: afterOutage(alert.state, own.rule, outage, begin.now) }, outage > 0 || alert !== before)
    } else if (!isOpen(alert)) keep(alert, alert !== before)
    else end(alert, begin)
  }

  function end(alert: RaisedAlert, moment: Moment): RaisedAlert {
    const ended = over(alert, moment)
    if (ended.state.episode === 0) drop(alert)
    else keep(ended)
    return ended
  }

  function keep(alert: RaisedAlert, isNew = true): void {
    alerts.set(alert.fingerprint, alert)
    byPlace.set(placeOf(alert.rule, subjectKey(alert.subject)), alert.fingerprint)
    if (isNew) changed.set(alert.fingerprint, alert)
  }

  /** Figures change with every look. Nobody needs each of them, and everybody some. */
  function isOverdue({ fingerprint, state }: RaisedAlert, now: number): boolean {
    if (state.phase === 'ok' || now - (written.get(fingerprint) ?? 0) < figuresEvery) return false
    written.set(fingerprint, now)
    return true
  }

  function drop(alert: RaisedAlert): void {
    alerts.delete(alert.fingerprint)
    byPlace.delete(placeOf(alert.rule, subjectKey(alert.subject)))
    changed.set(alert.fingerprint, undefined)
    written.delete(alert.fingerprint)
  }

  function look(sample: Sample, moment: Moment): readonly Transition[] {
    const key = subjectKey(sample.subject)
    const known = histories.get(key) ?? noHistory
    const history = remember(known, sample)
    histories.set(key, history)
    const transitions: Transition[] = []
    for (const { rule, key: ruleKey, isAbout } of scoped) {
      if (!isAbout(sample.subject) || !saysSomething(rule, sample, known)) continue
      const fingerprint = byPlace.get(placeOf(rule.id, key))
      const found = fingerprint === undefined ? undefined : alerts.get(fingerprint)
      const judged = judgeLook(rule, sample, history)
      if (!found && !judged?.holds) continue
      const alert = found ?? raised(rule, ruleKey, sample.subject, moment)
      const change = take(alert, rule, sample, judged, moment)
      if (change) transitions.push(change)
    }
    return transitions
  }

  function take(
    before: RaisedAlert,
    rule: Rule,
    sample: Sample,
    judged: Verdict | undefined,
    moment: Moment,
  ): Transition | undefined {
    const { state, change } = step(before.state, judged, rule, moment.now)
    if (state.phase === 'ok' && state.episode === 0) return void drop(before)
    const alert = withLook(before, state, sample, judged, moment)
    const isOld = state.phase === 'ok' && moment.wallNow - alert.changedAt > keptFor
    if (isOld) return void drop(alert)
    keep(alert, isWorthWriting(before, alert) || isOverdue(alert, moment.now))
    return change && { change, alert }
  }

  return {
    look,
    forget(isGone, moment) {
      const transitions: Transition[] = []
      for (const alert of [...alerts.values()]) {
        if (!isOpen(alert) || !isGone(alert)) continue
        const ended = end(alert, moment)
        if (isShownUp(alert)) transitions.push({ change: 'resolved', alert: ended })
      }
      return transitions
    },
    get: (fingerprint) => alerts.get(fingerprint),
    all: () => alerts.values(),
    changes() {
      const taken = new Map(changed)
      changed.clear()
      return taken
    },
    recall(sample) {
      const key = subjectKey(sample.subject)
      histories.set(key, remember(histories.get(key) ?? noHistory, sample))
    },
  }
}

/** Whether a look is about what a rule watches. A look that failed is about whatever its subject was known to have. */
function saysSomething({ condition, noData }: Rule, { subject, values, failed }: Sample, known: History): boolean {
  if (condition.kind === 'always') return subject.source === '' && subjectKey(subject) === subjectKey({ source: '' })
  if (condition.kind === 'failing-probe') return failed !== undefined || values?.letters !== undefined
  const last = values ?? known.looks.at(-1)?.values
  if (!last) return noData === 'unknown'
  return neededBy(condition).every((measurement) => last[measurement] !== undefined)
}

function judgeLook({ condition, noData }: Rule, { failed, at }: Sample, history: History): Verdict | undefined {
  if (failed === undefined || condition.kind === 'failing-probe') return judge(condition, history, at)
  if (noData === 'unknown') return undefined
  return verdict(noData === 'fire', { failure: failed })
}

function raised(rule: Rule, ruleKey: string, subject: Subject, { now, wallNow }: Moment): RaisedAlert {
  return {
    fingerprint: fingerprintOf({ rule: rule.id, subject, labels: rule.labels }),
    rule: rule.id,
    type: rule.type,
    severity: rule.severity,
    subject,
    labels: rule.labels,
    ruleKey,
    state: calm(now),
    flaps: noFlaps(now),
    figures: {},
    errors: [],
    correlationIds: [],
    firedAt: wallNow,
    seenAt: wallNow,
    changedAt: wallNow,
  }
}

/**
 * As its rule is now. Its fingerprint stays what it was when it was raised, also where labels have changed since: marks, silences and what
 * people were told go by it, and there is never a second alert of this rule about this subject.
 */
function asRuled(alert: RaisedAlert, { type, severity, labels }: Rule, ruleKey: string): RaisedAlert {
  const given = ({ ruleKey, type, severity, labels }: RaisedAlert): string =>
    JSON.stringify([ruleKey, type, severity, Object.entries(labels).toSorted()])
  const ruled = { ...alert, ruleKey, type, severity, labels }
  return given(ruled) === given(alert) ? alert : ruled
}

function withLook(
  before: RaisedAlert,
  state: AlertState,
  { evidence }: Sample,
  judged: Verdict | undefined,
  { now, wallNow }: Moment,
): RaisedAlert {
  const isNew = state.episode !== before.state.episode
  // From here on they are seen by whoever sees alerts: what is no id and no class has to stay behind.
  const ids = [...(isNew ? [] : before.correlationIds), ...(evidence?.correlationIds ?? []).map(shownCorrelationId)]
  const errors = evidence?.errors?.map((error) => ({ ...error, errorClass: safeErrorType(error.errorClass) }))
  return {
    ...before,
    state,
    flaps: judged && state.episode > 0 ? check(before.flaps, isUp(state), now) : before.flaps,
    figures: judged?.figures ?? before.figures,
    errors: errors ?? before.errors,
    correlationIds: [...new Set(ids)].slice(-mostCorrelationIds),
    firedAt: isNew ? wallNow : before.firedAt,
    seenAt: judged?.holds ? wallNow : before.seenAt,
    changedAt: state.phase === before.state.phase ? before.changedAt : wallNow,
  }
}

function over(alert: RaisedAlert, { now, wallNow }: Moment): RaisedAlert {
  const flaps = noFlaps(now)
  return { ...alert, state: { phase: 'ok', since: now, episode: alert.state.episode }, flaps, changedAt: wallNow }
}

/** What must be there again after a crash. */
function isWorthWriting(before: RaisedAlert, after: RaisedAlert): boolean {
  const lasting = ({ state, flaps }: RaisedAlert): string => JSON.stringify([state, flaps.checks, flaps.isFlapping])
  return lasting(before) !== lasting(after)
}

function placeOf(rule: string, subject: string): string {
  return `${rule} ${subject}`
}

/** What makes two rules of one name different rules. */
export function ruleKeyOf({ condition, scope, for: lasting }: Rule): string {
  return sha256(JSON.stringify([condition, scope.source, scope.queue, scope.consumerGroup, lasting])).slice(0, 16)
}
