import { type Alert, alertOf } from '../core/alerts/monitor/alert.ts'
import type { RuleName, Sample, Transition } from '../core/alerts/monitor/alert-rule.ts'
import type { Cancel, Clock, NewId } from '../core/ports.ts'
import { createCorrelationIds } from './correlation-ids.ts'

/** Makes alerts out of what is seen in one channel and of what the consumer tells about its letters. */
export interface ChannelAlerts {
  changed(transition: Transition, sample: Sample): void
  /** A letter of this correlation id went into the channel. */
  buried(correlationId: string | undefined): void
  /** Sends what only waits to be complete. */
  flush(): void
}

export interface ChannelAlertsOptions {
  readonly channel: string
  readonly component: string
  /** Whether a consumer in this process tells about letters. */
  readonly hears: boolean
  readonly clock: Clock
  readonly newId: NewId
  readonly deliver: (alert: Alert) => void
}

/**
 * A probe may see a letter before the consumer has heard that the broker took it. So long an alert that knows no correlation id
 * waits for one; a letter of somebody else's has none to wait for.
 */
const patience = 250

export function createChannelAlerts(options: ChannelAlertsOptions): ChannelAlerts {
  const { channel, component, hears, clock, newId, deliver } = options
  const ids = createCorrelationIds()
  const episodes = new Map<RuleName, string>()
  let incomplete: (() => void) | undefined
  let cancel: Cancel = () => {}

  function tell(rule: RuleName, status: Alert['status'], { count, failed }: Sample): void {
    const id = episodes.get(rule) ?? newId()
    const isAboutLetters = rule === 'dlq.any' && status === 'firing'
    const correlationIds = isAboutLetters ? ids.list() : []
    deliver(alertOf({ id, status, rule, component, channel, at: clock.now(), count, failure: failed, correlationIds }))
  }

  function flush(): void {
    cancel()
    incomplete?.()
    incomplete = undefined
  }

  function raise(rule: RuleName, sample: Sample): void {
    episodes.set(rule, newId())
    const waits = rule === 'dlq.any' && hears && ids.list().length === 0
    if (waits) {
      incomplete = () => tell(rule, 'firing', sample)
      cancel = clock.after(patience, flush)
    } else tell(rule, 'firing', sample)
  }

  function resolve(rule: RuleName, sample: Sample): void {
    flush()
    if (rule === 'dlq.any') ids.clear()
    tell(rule, 'resolved', sample)
  }

  return {
    changed({ rule, change }, sample) {
      if (change === 'raised') raise(rule, sample)
      if (change === 'resolved') resolve(rule, sample)
    },
    buried(correlationId) {
      ids.add(correlationId)
      flush()
    },
    flush,
  }
}
