import { mostCorrelationIds } from '../../core/alerts/correlation-id.ts'
import { subjectKey } from '../../core/alerts/identity.ts'
import type { RaisedAlert } from '../../core/alerts/raised-alert.ts'
import type { ErrorCount, Evidence, Values } from '../../core/alerts/sample.ts'
import type { Clock } from '../../core/ports.ts'
import type { CauseFacts, NewLetters } from '../../vault/operations/alert-evidence.ts'
import { keyOfSource, type SourceName } from '../../vault/operations/sources.ts'
import type { Vault } from '../../vault/vault.ts'
import { newestLetter } from '../newest-letter.ts'
import { nameOf, type Source } from '../source.ts'
import type { AlertEngine } from './alert-engine.ts'
import type { Report } from './report.ts'
import { sharedRead } from './shared-read.ts'

/** What the letters that came say: which causes are new, came back or come often, and what alerts about their queues show. */
export interface LetterNews {
  /** Looks at what came since the last time. */
  refresh(): Promise<void>
  /** Looks again at the causes that there are alerts about, which may be dealt with by now. */
  causes(): Promise<readonly Report[]>
  evidenceOf(source: Source): Evidence
  /** Nothing is left there: what it held is no evidence for what comes next. */
  emptied(source: Source): void
}

const hour = 3_600_000
const week = 7 * 24
/** For how long a cause is new. */
const newFor = hour
const factsAtOnce = 1000

type Wanted =
  | { readonly by: 'ids'; readonly of: readonly number[] }
  | { readonly by: 'fingerprints'; readonly of: readonly string[] }

interface Found {
  readonly errors: Map<string, { readonly errorClass: string; readonly fingerprint: string; count: number }>
  correlationIds: readonly string[]
}

type Engine = Pick<AlertEngine, 'report' | 'open' | 'told' | 'lastLetter'>

export function createLetterNews(vault: Vault, clock: Clock, engine: Engine): LetterNews {
  const totals = new Map<string, number>()
  const queues = new Map<string, Found>()

  async function readNews(): Promise<void> {
    const upTo = await newestLetter(vault)
    const news = await vault.read('newLetters', { after: engine.lastLetter, upTo })
    if (news.counts.length > 0) {
      const facts = await factsOf({ by: 'ids', of: [...new Set(news.counts.map(({ cause }) => cause))] }, upTo)
      gather(news, facts)
      engine.report(reportsOf(news, facts))
    }
    engine.told(news.last)
  }

  /** A statement takes so many values and no more: a flood of causes is asked for in parts. */
  async function factsOf(wanted: Wanted, upTo?: number): Promise<readonly CauseFacts[]> {
    const until = Math.floor(clock.now() / hour)
    const facts: CauseFacts[] = []
    for (let start = 0; start < wanted.of.length; start += factsAtOnce) {
      const part = { [wanted.by]: wanted.of.slice(start, start + factsAtOnce) }
      facts.push(
        ...(await vault.read('causeFacts', { ...part, since: until - week, until, ...(upTo !== undefined && { upTo }) })),
      )
    }
    return facts
  }

  function gather({ counts, correlationIds }: NewLetters, facts: readonly CauseFacts[]): void {
    const fingerprints = new Map(facts.map(({ id, fingerprint }) => [id, fingerprint]))
    for (const { cause, errorType, letters, ...source } of counts) {
      const fingerprint = fingerprints.get(cause) ?? ''
      const { errors } = found(source)
      const name = `${errorType} ${fingerprint}`
      const known = errors.get(name) ?? { errorClass: errorType ?? 'Error', fingerprint, count: 0 }
      errors.set(name, { ...known, count: known.count + letters })
    }
    for (const { id, ...source } of correlationIds) {
      const own = found(source)
      own.correlationIds = [...own.correlationIds, id].slice(-mostCorrelationIds)
    }
  }

  function found(source: SourceName): Found {
    const key = keyOfSource(source)
    const own = queues.get(key) ?? { errors: new Map(), correlationIds: [] }
    queues.set(key, own)
    return own
  }

  /** Counted from 0, so that the first letters of a cause are an increase too. */
  function reportsOf({ counts }: NewLetters, facts: readonly CauseFacts[]): readonly Report[] {
    const sums = Map.groupBy(counts, ({ connection, cause }) => JSON.stringify([connection, cause]))
    const lettersOf = new Map<number, number>()
    for (const { cause, letters } of counts) lettersOf.set(cause, (lettersOf.get(cause) ?? 0) + letters)
    const causes = new Map(facts.map((cause) => [cause.id, cause]))
    return [...sums.values()].flatMap((rows) => {
      const [first] = rows
      const cause = first && causes.get(first.cause)
      if (!first || !cause) return []
      const came = rows.reduce((sum, { letters }) => sum + letters, 0)
      const all = lettersOf.get(cause.id) ?? 0
      const subject = { source: first.connection, cause: cause.fingerprint }
      const before = totals.get(subjectKey(subject)) ?? 0
      totals.set(subjectKey(subject), before + came)
      const isNew = cause.total <= all || isStillNew(cause, alertOn(subject))
      const evidence = { errors: rows.map(({ errorType, letters }) => errorOf(errorType, letters, cause)) }
      return [
        ...(before === 0 ? [{ subject, values: { causeLettersTotal: 0 } }] : []),
        { subject, evidence, values: { ...valuesOf(cause, isNew), causeLettersTotal: before + came } },
      ]
    })
  }

  function alertOn(subject: { readonly source: string; readonly cause: string }): RaisedAlert | undefined {
    const key = subjectKey(subject)
    return engine.open().find((alert) => alert.type === 'cause.new' && subjectKey(alert.subject) === key)
  }

  function isStillNew({ state, unresolved }: CauseFacts, alert: RaisedAlert | undefined): boolean {
    return alert !== undefined && state === 'open' && unresolved > 0 && clock.now() - alert.firedAt < newFor
  }

  return {
    refresh: sharedRead(readNews),
    async causes() {
      const about = engine.open().filter(({ subject }) => subject.cause !== undefined)
      const subjects = new Map(about.map(({ subject }) => [subjectKey(subject), subject]))
      if (subjects.size === 0) return []
      const facts = await factsOf({ by: 'fingerprints', of: [...subjects.values()].flatMap(({ cause }) => cause ?? []) })
      const causes = new Map(facts.map((cause) => [cause.fingerprint, cause]))
      return [...subjects].flatMap(([key, subject]) => {
        const cause = causes.get(subject.cause ?? '')
        if (!cause || subject.cause === undefined) return []
        const isNew = isStillNew(cause, alertOn({ source: subject.source, cause: subject.cause }))
        return [{ subject, values: { ...valuesOf(cause, isNew), causeLettersTotal: totals.get(key) ?? 0 } }]
      })
    },
    evidenceOf(source) {
      const { errors, correlationIds } = found(nameOf(source))
      const sorted = [...errors.values()].toSorted((one, other) => other.count - one.count)
      return { errors: sorted.slice(0, 3), correlationIds }
    },
    emptied: (source) => void queues.delete(keyOfSource(nameOf(source))),
  }
}

/** One that is older than an hour has a past to be compared with. */
function valuesOf({ state, unresolved, regressedAt, pastLetters, firstHour }: CauseFacts, isNew: boolean): Values {
  const isOpen = state === 'open' && unresolved > 0
  return {
    causeIsNew: Number(isNew),
    causeRegressed: Number(isOpen && regressedAt !== null),
    ...(firstHour !== null && { causeHourlyMean: pastLetters / week }),
  }
}

function errorOf(errorType: string | null, count: number, { fingerprint }: CauseFacts): ErrorCount {
  return { errorClass: errorType ?? 'Error', count, fingerprint }
}
