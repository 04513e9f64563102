import type { Matcher } from '../../../src/core/alerts/matcher.ts'
import { hasCode } from '../../../src/core/errors.ts'
import type { Clock } from '../../../src/core/ports.ts'
import { alertsIn } from '../../../src/ops/alerts/alerts.ts'
import type { Alerts } from '../../../src/ops/control-plane.ts'
import type { Vault } from '../../../src/vault/vault.ts'
import type { Chance } from '../seeded-random.ts'
import type { AlertProcess } from './alert-process.ts'
import type { SimQueue } from './sim-queues.ts'

/** When people wanted to hear nothing about a queue. Virtual milliseconds. */
export interface Hush {
  readonly queue: SimQueue
  readonly from: number
  to: number
}

/** Operators who want silence and say that they know: some in the process that alerts, some by way of another one on the same vault. */
export interface AlertPeople {
  readonly hushes: readonly Hush[]
  meddle(process: AlertProcess): Promise<void>
  /** Takes everything back that keeps alerts quiet. */
  speakAgain(process: AlertProcess): Promise<void>
}

export interface AlertPeopleOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly chance: Chance
  readonly queues: readonly SimQueue[]
}

const minute = 60_000

export function createAlertPeople({ vault, clock, chance, queues }: AlertPeopleOptions): AlertPeople {
  const hushes: (Hush & { readonly id: number })[] = []

  function deskOf(process: AlertProcess): Alerts {
    const engine = chance.happens(0.5) ? process.engine : undefined
    return alertsIn(vault, clock, { engineNow: () => engine?.now(), changed: () => engine?.quietChanged() })
  }

  async function silence(alerts: Alerts): Promise<void> {
    const queue = queues[chance.between(0, queues.length - 1)]
    if (!queue) return
    const span = chance.between(2, 20) * minute
    const is = (name: string, value: string): Matcher => ({ name, is: '=', value })
    const matchers = [is('source', queue.connection), is('queue', queue.name)]
    const wanted = { matchers, reason: 'a move', endsAt: clock.now() + span, evenProtected: false, actor: 'ana' }
    const { id } = await alerts.silence(wanted)
    hushes.push({ id, queue, from: clock.monotonic(), to: clock.monotonic() + span })
  }

  async function mark(alerts: Alerts): Promise<void> {
    const open = await alerts.list({ which: 'open', limit: 100 })
    const chosen = open[chance.between(0, Math.max(0, open.length - 1))]
    if (!chosen) return
    const until = { until: clock.now() + chance.between(1, 10) * minute, actor: 'bo' }
    await alerts[chance.pick<'acknowledge' | 'snooze'>(['acknowledge', 'snooze'])](chosen.fingerprint, until)
  }

  async function end(alerts: Alerts, hush: Hush & { readonly id: number }): Promise<void> {
    await alerts.endSilence(hush.id, { actor: 'ana' }).catch(hasEnded)
    hush.to = Math.min(hush.to, clock.monotonic())
  }

  return {
    hushes,
    async meddle(process) {
      const alerts = deskOf(process)
      const running = hushes.find(({ to }) => to > clock.monotonic())
      if (running && chance.happens(0.3)) return end(alerts, running)
      return chance.happens(0.6) ? silence(alerts) : mark(alerts)
    },
    async speakAgain(process) {
      const { engine } = process
      const alerts = alertsIn(vault, clock, { engineNow: () => engine?.now(), changed: () => engine?.quietChanged() })
      for (const hush of hushes) await end(alerts, hush)
      const open = await alerts.list({ which: 'all', limit: 100 })
      for (const { fingerprint, snoozed } of open) if (snoozed) await alerts.unsnooze(fingerprint, { actor: 'ana' })
    },
  }
}

/** By itself, or because a clock was set. */
function hasEnded(error: unknown): void {
  if (!hasCode(error, 'conflict')) throw error
}
