import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUp } from './alert-state.ts'
import type { Alerting } from './alerting.ts'
import type { Subject } from './identity.ts'
import type { Rule } from './rule.ts'
import { only, type Play, play } from './timeline.fixture.ts'

const queues: readonly Subject[] = ['a', 'b', 'c'].map((queue) => ({ source: 'shop', queue }))

/** Urgent and not, with and without waiting, and with a band. */
const rules: readonly Rule[] = [
  ...only('dlq.any', 'probe.failed'),
  ...only('dlq.count').map((rule) => ({ ...rule, condition: { ...rule.condition, limit: 2, clear: 2 } as Rule['condition'] })),
  ...only('dlq.any').map((rule): Rule => ({ ...rule, id: 'quick', type: 'dlq.count', severity: 'warning', keepFiringFor: 0 })),
]

type Action =
  | { readonly do: 'see'; readonly queue: number; readonly letters: number }
  | { readonly do: 'fail'; readonly queue: number }
  | { readonly do: 'pass'; readonly seconds: number }
  | { readonly do: 'silence'; readonly queue: number; readonly minutes: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('see' as const), queue: fc.nat(2), letters: fc.nat(4) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), queue: fc.nat(2) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(1, 10, 30, 60, 300, 1200) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('silence' as const), queue: fc.nat(2), minutes: fc.integer({ min: 1, max: 40 }) }),
  },
)

const story = fc.array(action, { minLength: 5, maxLength: 80 })

function act(t: Play, each: Action): void {
  const queue = 'queue' in each ? (queues[each.queue] ?? { source: 'shop' }) : { source: 'shop' }
  if (each.do === 'see') t.see({ letters: each.letters }, queue)
  if (each.do === 'fail') t.fail(queue)
  if (each.do === 'pass') t.pass(`${each.seconds}s`)
  if (each.do === 'silence') t.silence({ matchers: [{ name: 'queue', is: '=', value: queue.queue ?? '' }] }, `${each.minutes}m`)
}

type Plant = (alerting: Alerting) => Alerting

/** What must hold whatever is seen; the names of what did not. With a planted bug it ends when that is found. */
function violations(plant?: Plant, wanted = ''): ReadonlySet<string> {
  const found = new Set<string>()
  const options = { rules, ...(plant && { plant }) }
  fc.assert(
    fc.property(story, fc.array(fc.nat(80), { maxLength: 3 }), (actions, restarts) => {
      if (found.has(wanted)) return
      const [steady, restarted] = [play(options), play(options)]
      for (const [index, each] of actions.entries()) {
        for (const problem of wronglyChanged(steady, each)) found.add(problem)
        act(restarted, each)
        if (restarts.includes(index)) restarted.restart()
      }
      for (const t of [steady, restarted]) {
        t.pass('1h')
        for (const problem of wronglyTold(t)) found.add(problem)
      }
      if (steady.lines.join() !== restarted.lines.join()) found.add('a restart changed what was told')
    }),
    { numRuns: 200, seed: 11 },
  )
  return found
}

function* wronglyChanged(t: Play, each: Action): Generator<string> {
  const before = upNames(t)
  act(t, each)
  const after = upNames(t)
  if (each.do !== 'fail') return
  if (![...before].every((name) => after.has(name))) yield 'a look that failed resolved an alert'
  const raised = [...after].filter((name) => !before.has(name) && !name.startsWith('probe'))
  if (raised.length > 0) yield 'a look that failed raised an alert about letters'
}

/** Names of alerts that are up. Times that a failed look could not change are not among them. */
function upNames({ alerts }: Play): ReadonlySet<string> {
  return new Set(alerts.filter(({ state }) => isUp(state)).map(({ rule, subject }) => `${rule} ${subject.queue}`))
}

function* wronglyTold({ sayings, alerts }: Play): Generator<string> {
  const told = new Map<string, { readonly episode: number; readonly isFiring: boolean }>()
  for (const { notification } of sayings) {
    if (notification.alerts.length === 0) yield 'a notification said nothing'
    for (const { dedupKey, episode, status, reason } of notification.alerts.map((alert) => ({
      ...alert,
      reason: notification.reason,
    }))) {
      const before = told.get(dedupKey)
      const isMissed = reason === 'first' || reason === 'new-alert'
      if (status === 'resolved' && !before?.isFiring && !isMissed) yield 'resolved before it fired'
      if (before && episode < before.episode) yield 'an episode went back'
      told.set(dedupKey, { episode, isFiring: status === 'firing' })
    }
  }
  const ids = sayings.map(({ notification }) => notification.id)
  if (new Set(ids).size < ids.length) yield 'a notification was said twice'
  const believed = sayings.filter(({ notification }) => notification.status === 'firing').length
  if (believed === 0 && alerts.some(({ state, flaps }) => isUp(state) && !flaps.isFlapping)) yield 'an alert was not told'
  if (new Set(alerts.map(({ fingerprint }) => fingerprint)).size < alerts.length) yield 'two episodes of one alert'
}

describe('whatever is seen, and whenever the process is restarted', () => {
  it('nothing is resolved before it fired, told twice, or lost; failed looks say nothing; a restart changes nothing', () => {
    expect(violations()).toEqual(new Set())
  })

  it('would catch an alert that is resolved because nobody could look', () => {
    const asZero: Plant = (alerting) => ({
      ...alerting,
      look: (samples, moment) =>
        alerting.look(
          samples.map(({ failed, values, ...sample }) => ({ ...sample, values: failed === undefined ? values : { letters: 0 } })),
          moment,
        ),
    })
    expect(violations(asZero, 'a look that failed resolved an alert')).toContain('a look that failed resolved an alert')
  })

  it('would catch groups that are not kept', () => {
    const forgetful: Plant = (alerting) => ({ ...alerting, changes: () => ({ ...alerting.changes(), groups: new Map() }) })
    expect(violations(forgetful, 'a restart changed what was told')).toContain('a restart changed what was told')
  })

  it('would catch alerts that are not kept', () => {
    const forgetful: Plant = (alerting) => ({ ...alerting, changes: () => ({ ...alerting.changes(), alerts: new Map() }) })
    expect(violations(forgetful, 'a restart changed what was told')).toContain('a restart changed what was told')
  })

  it('would catch a notification that is said twice', () => {
    const twice: Plant = (alerting) => ({
      ...alerting,
      speak: (quiet, moment) => alerting.speak(quiet, moment).flatMap((saying) => [saying, saying]),
    })
    expect(violations(twice, 'a notification was said twice')).toContain('a notification was said twice')
  })

  it('would catch an alert that is never told', () => {
    const mute: Plant = (alerting) => ({
      ...alerting,
      speak: (quiet, moment) => alerting.speak(quiet, moment).filter(({ notification }) => notification.status === 'resolved'),
    })
    expect(violations(mute, 'resolved before it fired')).toContain('resolved before it fired')
  })
})
