import type { Moment } from '../../core/alerts/alert-book.ts'
import { defaultRules } from '../../core/alerts/default-rules.ts'
import type { MaintenanceWindow } from '../../core/alerts/maintenance-window.ts'
import type { Rule } from '../../core/alerts/rule.ts'
import { scaledClear } from '../../core/alerts/rule-options.ts'
import { checkSilence, checkSpan } from '../../core/alerts/silence.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { KnownSilence } from '../../vault/operations/alert-quiet.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Alerts, RuleChanges, SilenceStatus } from '../control-plane.ts'
import { alertStatuses, type StatusContext } from './alert-status.ts'
import { testRule } from './test-rule.ts'
import { engineTime } from './timeline.ts'

export interface AlertsOptions {
  readonly rules?: readonly Rule[]
  readonly windows?: readonly MaintenanceWindow[]
  /** The engine's own time, where it runs in this process. */
  readonly engineNow: () => number | undefined
  /** Somebody changed what is kept quiet. */
  readonly changed: (fingerprint: string | undefined) => void
}

const mostOpen = 10_000
const mostSamples = 200_000

/** What people do with alerts. It works on the vault, whether or not the engine runs in this process. */
export function alertsIn(vault: Vault, clock: Clock, options: AlertsOptions): Alerts {
  const { rules = defaultRules, windows = [], changed } = options

  /** Both times of one moment, so that one can be told in the other. */
  async function moment(): Promise<Moment> {
    const saved = options.engineNow() === undefined ? await vault.read('engineState', undefined) : undefined
    const wallNow = clock.now()
    return { now: options.engineNow() ?? engineTime(saved, wallNow), wallNow }
  }

  async function context(): Promise<StatusContext> {
    const at = await moment()
    const { silences, marks } = await vault.read('quietAt', at)
    const open = await vault.read('listAlerts', { which: 'open', limit: mostOpen })
    const quiet = { silences, windows, marks: new Map(marks) }
    return { quiet, open: open.map(({ alert }) => alert), ...at }
  }

  /** A time on the wall, in the engine's own. */
  async function until(wall: number): Promise<number> {
    const { now, wallNow } = await moment()
    if (wall <= wallNow) throw new RedriveError('bad-request', 'The end must be a time that is still to come.')
    return now + (wall - wallNow)
  }

  async function mark(change: Parameters<typeof vault.write<'markAlert'>>[1]): ReturnType<Alerts['show']> {
    await vault.write('markAlert', change)
    changed(change.fingerprint)
    return show(change.fingerprint)
  }

  async function show(fingerprint: string): ReturnType<Alerts['show']> {
    const known = await vault.read('showAlert', { fingerprint })
    const [status] = alertStatuses([known], await context())
    if (!status) throw new RedriveError('not-found', 'There is no such alert.')
    return status
  }

  async function moveEnd(id: number, ends: (moment: Moment) => number): Promise<SilenceStatus> {
    const at = await moment()
    const moved = await vault.write('moveSilenceEnd', { id, now: at.now, ends: ends(at) })
    changed(undefined)
    return shownSilence(moved, at)
  }

  return {
    list: async ({ which, limit }) => alertStatuses(await vault.read('listAlerts', { which, limit }), await context()),
    show,
    acknowledge: async (fingerprint, { until: wall, actor }) =>
      mark({ fingerprint, acknowledged: { by: actor, until: await until(wall) } }),
    unacknowledge: (fingerprint) => mark({ fingerprint, acknowledged: null }),
    snooze: async (fingerprint, { until: wall, actor }) =>
      mark({ fingerprint, snoozed: { by: actor, until: await until(wall) } }),
    unsnooze: (fingerprint) => mark({ fingerprint, snoozed: null }),
    async silences() {
      const at = await moment()
      return (await vault.read('listSilences', { endAfter: at.now })).map((silence) => shownSilence(silence, at))
    },
    async silence({ matchers, reason, startsAt, endsAt, evenProtected, actor }) {
      const at = await moment()
      const begins = Math.max(at.wallNow, startsAt ?? 0)
      checkSilence({ matchers, reason, span: endsAt - begins })
      const inEngine = (wall: number): number => at.now + (wall - at.wallNow)
      const made = await vault.write('addSilence', {
        matchers,
        reason,
        author: actor,
        madeAt: at.wallNow,
        starts: inEngine(begins),
        ends: inEngine(endsAt),
        evenProtected,
      })
      changed(undefined)
      return shownSilence(made, at)
    },
    async extendSilence(id, { endsAt }) {
      return moveEnd(id, ({ now, wallNow }) => {
        checkSpan(endsAt - wallNow)
        return now + (endsAt - wallNow)
      })
    },
    endSilence: (id) => moveEnd(id, ({ now }) => now),
    rules: async () => rules,
    async testRule({ rule: id, changes, since }) {
      const rule = rules.find((each) => each.id === id)
      if (!rule) throw new RedriveError('not-found', `There is no rule ${id}.`)
      const { now, wallNow } = await moment()
      const samples = await vault.read('listSamples', { since: now - (wallNow - since), limit: mostSamples })
      return testRule(withChanges(rule, changes), samples)
    },
    deliveries: (query) => vault.read('listDeliveries', query),
    redeliver: (id) => vault.write('redeliver', { id, now: clock.now() }),
  }
}

function shownSilence({ starts, ends, ...silence }: KnownSilence, { now, wallNow }: Moment): SilenceStatus {
  const onTheWall = (time: number): number => wallNow - (now - time)
  return { ...silence, startsAt: onTheWall(starts), endsAt: onTheWall(ends), isActive: starts <= now && now < ends }
}

function withChanges(rule: Rule, { limit, ...timing }: RuleChanges): Rule {
  if (limit === undefined) return { ...rule, ...timing }
  if (!('limit' in rule.condition)) throw new RedriveError('bad-request', `${rule.id} has no limit that could be another one.`)
  return { ...rule, ...timing, condition: { ...rule.condition, limit, ...scaledClear(rule.condition, limit) } }
}
