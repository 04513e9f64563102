import { parseDuration } from '../duration.ts'
import { RedriveError } from '../errors.ts'
import type { Condition } from './condition.ts'
import { defaultRules, watchdog } from './default-rules.ts'
import type { Labels } from './identity.ts'
import type { Rule } from './rule.ts'
import type { Measurement } from './sample.ts'
import type { Severity } from './severity.ts'

/** A rule as people write it: what differs from one of ours. Durations are text with their unit. */
export interface WrittenRule {
  readonly id: string
  /** The default whose settings hold where this one says nothing; the one of the same id where it is absent. */
  readonly like?: string | undefined
  readonly enabled?: boolean | undefined
  readonly severity?: Severity | undefined
  readonly source?: string | undefined
  readonly queue?: string | undefined
  readonly group?: string | undefined
  /** A number, a share such as `5%`, or a duration: whatever the rule compares. */
  readonly limit?: number | string | undefined
  /** Below that it is clear again. */
  readonly clear?: number | string | undefined
  readonly windows?: readonly string[] | undefined
  readonly minSamples?: number | undefined
  readonly for?: string | undefined
  readonly keepFiringFor?: string | undefined
  readonly noData?: Rule['noData'] | undefined
  readonly labels?: Labels | undefined
  readonly runbook?: string | undefined
  readonly correlationIds?: boolean | undefined
}

const bases: readonly Rule[] = [...defaultRules, watchdog]

export const baseIds: readonly string[] = bases.map(({ id }) => id)

/** The defaults with what was written about them, and what was written beside them. A default stays unless it is switched off. */
export function rulesFrom(written: readonly WrittenRule[]): readonly Rule[] {
  const changed = new Map(written.map((own) => [own.id, own]))
  const kept = defaultRules.flatMap((rule) => {
    const own = changed.get(rule.id)
    if (!own) return [rule]
    return own.enabled === false ? [] : [ruleFrom(own)]
  })
  const added = written.filter(({ id, enabled }) => enabled !== false && !defaultRules.some((rule) => rule.id === id))
  return [...kept, ...added.map(ruleFrom)]
}

/** Throws a `bad-option` that begins with the option it is about. */
export function ruleFrom(written: WrittenRule): Rule {
  const base = bases.find(({ id }) => id === (written.like ?? written.id))
  if (!base) throw new RedriveError('bad-option', `like is missing; name the rule that this one is like: ${baseIds.join(', ')}.`)
  const { severity, noData, labels, runbook, correlationIds } = written
  return {
    ...base,
    id: written.id,
    scope: {
      ...(written.source !== undefined && { source: written.source }),
      ...(written.queue !== undefined && { queue: written.queue }),
      ...(written.group !== undefined && { consumerGroup: written.group }),
    },
    condition: conditionFrom(base.condition, written),
    ...(severity !== undefined && { severity }),
    ...(written.for !== undefined && { for: parseDuration(written.for, 'for') }),
    ...(written.keepFiringFor !== undefined && { keepFiringFor: parseDuration(written.keepFiringFor, 'keepFiringFor') }),
    ...(noData !== undefined && { noData }),
    ...(labels !== undefined && { labels }),
    ...(runbook !== undefined && { runbook }),
    ...(correlationIds !== undefined && { correlationIds }),
  }
}

function conditionFrom(base: Condition, { limit, clear, windows, minSamples }: WrittenRule): Condition {
  const refuse = (option: string): never => {
    throw new RedriveError('bad-option', `${option} is nothing that this rule has. Remove it.`)
  }
  if (limit !== undefined && !('limit' in base)) refuse('limit')
  if (clear !== undefined && base.kind !== 'level') refuse('clear')
  if (windows !== undefined && base.kind !== 'ratio') refuse('windows')
  if (minSamples !== undefined && base.kind !== 'ratio') refuse('minSamples')
  const unit = unitOf(base)
  return {
    ...base,
    ...(limit !== undefined && { limit: readLimit(limit, unit, 'limit'), ...scaledClear(base, readLimit(limit, unit, 'limit')) }),
    ...(clear !== undefined && { clear: readLimit(clear, unit, 'clear') }),
    ...(windows !== undefined && { windows: windows.map((window) => parseDuration(window, 'windows')) }),
    ...(minSamples !== undefined && { minSamples }),
  } as Condition
}

/** Another limit moves the band below it along. */
export function scaledClear(base: Condition, limit: number): { readonly clear?: number } {
  if (base.kind !== 'level' || base.clear === undefined) return {}
  return { clear: (base.clear / base.limit) * limit }
}

type Unit = 'count' | 'share' | 'duration'

const shares: ReadonlySet<Measurement> = new Set<Measurement>(['diskFree', 'replayReturned', 'retentionUsed'])
const spans: ReadonlySet<Measurement> = new Set<Measurement>(['oldestAge', 'untilLoss', 'replayStuckFor', 'sinkFailingFor'])

function unitOf(condition: Condition): Unit {
  if (condition.kind === 'ratio') return 'share'
  if (condition.kind !== 'level') return 'count'
  if (shares.has(condition.of)) return 'share'
  return spans.has(condition.of) ? 'duration' : 'count'
}

/** As the rule of this id compares it. */
export function limitOf(id: string, written: number | string): number {
  const base = bases.find((rule) => rule.id === id)
  return readLimit(written, base ? unitOf(base.condition) : 'count', 'limit')
}

function readLimit(written: number | string, unit: Unit, option: string): number {
  if (unit === 'duration') return parseDuration(written, option)
  const [, number, percent] = /^(\d{1,15}(?:\.\d{1,15})?)(%?)$/.exec(String(written)) ?? []
  const value = percent === '%' ? Number(number) / 100 : Number(number)
  const isFine = number !== undefined && (unit === 'share' ? value <= 1 : percent === '')
  if (isFine) return value
  const allowed = unit === 'share' ? 'a share such as 0.05 or 5%' : 'a number from 0'
  throw new RedriveError('bad-option', `${option} is ${JSON.stringify(written)}. Allowed: ${allowed}.`)
}
