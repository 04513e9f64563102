import { isTimeZone, type MaintenanceWindow } from '../core/alerts/maintenance-window.ts'
import { readMatcher } from '../core/alerts/matcher.ts'
import { ruleFrom, type WrittenRule } from '../core/alerts/rule-options.ts'
import { RedriveError } from '../core/errors.ts'
import { isArray } from '../core/wary.ts'
import { mistakeAt, shownAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import { type Path, pathText } from './path.ts'
import type { WrittenWindow } from './schema.ts'
import type { YamlTree } from './yaml-tree.ts'

/** What a schema cannot say about rules and maintenance windows: what each kind of rule takes, names that stand twice, time zones, matchers. */
export function* checkAlerts(tree: YamlTree): Generator<Mistake> {
  const seen = new Set<unknown>()
  for (const path of itemsOf(tree, 'rules')) {
    yield* twice(tree, path, seen)
    yield* badRule(tree, path)
  }
  for (const path of itemsOf(tree, 'maintenance')) {
    const zone = valueAt(tree.value, [...path, 'timeZone'])
    if (typeof zone === 'string' && !isTimeZone(zone))
      yield* refused(tree, [...path, 'timeZone'], 'is no time zone that is known here.')
    for (const inner of itemsOf(tree, ...path, 'alerts')) {
      yield* told(tree, inner, () => readMatcher(String(valueAt(tree.value, inner))))
    }
  }
}

function itemsOf(tree: YamlTree, ...path: Path): readonly Path[] {
  const items = valueAt(tree.value, path)
  return isArray(items) ? [...items.keys()].map((index) => [...path, index]) : []
}

function* twice(tree: YamlTree, path: Path, seen: Set<unknown>): Generator<Mistake> {
  const id = valueAt(tree.value, [...path, 'id'])
  if (seen.has(id)) yield* refused(tree, [...path, 'id'], 'stands there twice. Remove one of them.')
  seen.add(id)
}

/** Only where the parts are what the schema says; the schema tells of the others. */
function* badRule(tree: YamlTree, path: Path): Generator<Mistake> {
  const written = valueAt(tree.value, path) as WrittenRule | undefined
  if (typeof written?.id !== 'string') return
  yield* told(tree, path, () => ruleFrom(written))
}

function* told(tree: YamlTree, path: Path, read: () => unknown): Generator<Mistake> {
  try {
    read()
  } catch (error) {
    if (!(error instanceof RedriveError)) return
    const [, option] = /^(\w+) is /.exec(error.message) ?? []
    const place = option === undefined ? path : [...path, option]
    yield mistakeAt(tree.placeOf(place), place, option === undefined ? error.message : `${pathText(path)}.${error.message}`)
  }
}

function* refused(tree: YamlTree, path: Path, why: string): Generator<Mistake> {
  yield mistakeAt(tree.placeOf(path), path, `${pathText(path)} is ${shownAt(tree, path)}, which ${why}`)
}

export function windowOf({ alerts, from, to, ...window }: WrittenWindow): MaintenanceWindow {
  return { ...window, matchers: alerts.map(readMatcher), from: minuteOf(from), to: minuteOf(to) }
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours ?? 0) * 60 + (minutes ?? 0)
}
