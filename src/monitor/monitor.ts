import type { Alert } from '../core/alerts/monitor/alert.ts'
import type { Sample } from '../core/alerts/monitor/alert-rule.ts'
import { RedriveError } from '../core/errors.ts'
import type { SendOutcome } from '../outgoing/send-outcome.ts'
import { type ChannelAlerts, createChannelAlerts } from './channel-alerts.ts'
import { createCourier } from './courier.ts'
import { logTo } from './log.ts'
import { type MailOptions, mail } from './mail.ts'
import { type MonitorOptions, resolveMonitor } from './monitor-options.ts'
import type { Notifier } from './notifier.ts'
import { probe } from './probe.ts'
import { type MetricsPush, type PushMetricsOptions, pushMetrics } from './push-metrics.ts'
import { createWatch, type Watch } from './watch.ts'
import { type WebhookOptions, webhook } from './webhook.ts'

export type { Alert, MailOptions, MetricsPush, MonitorOptions, Notifier, PushMetricsOptions, SendOutcome, WebhookOptions }
export { mail, pushMetrics, webhook }

/** Watches dead-letter channels and alerts. It only counts: no letter is taken, moved or marked. */
export interface Monitor extends AsyncDisposable {
  /** Prepares the notifiers, then begins to watch. Rejects with `missing-library` where one cannot work. Once only. */
  start(): Promise<void>
  /** Probes every channel now; resolves when it has. */
  probe(): Promise<void>
  /** What the last probe of each channel gave. */
  status(): readonly ChannelStatus[]
  /** Ends: a probe that is under way still counts, and alerts on their way arrive. Stop it before the transport is closed. */
  stop(): Promise<void>
}

export interface ChannelStatus {
  readonly channel: string
  /** `undefined` when nobody knows: the probe failed, or there was none yet. */
  readonly letters: number | undefined
}

/** Two hiccups are none. */
const failuresToRaise = 3

interface Watched {
  readonly channel: string
  readonly watch: Watch
  readonly alerts: ChannelAlerts
}

export function createMonitor(options: MonitorOptions): Monitor {
  const settings = resolveMonitor(options)
  const { transport, consumer, component, platform } = settings
  const { clock, random, newId } = platform
  const log = logTo(settings.logger)
  const limits = { resolveAfter: settings.resolveAfter, failuresToRaise }
  const couriers = settings.notify.map((notifier) =>
    createCourier({ notifier, clock, random, log, timeout: settings.sendTimeout }),
  )
  const watched = [...new Set(settings.channels)].map(watchChannel)
  let started = false
  let stopped: Promise<void> | undefined
  let stopListening: readonly (() => void)[] = []

  function watchChannel(channel: string): Watched {
    const alerts = createChannelAlerts({ channel, component, hears: consumer !== undefined, clock, newId, deliver })
    const look = (): Promise<Sample> => probe(transport, channel, settings.probeTimeout, clock)
    const watch = createWatch({ clock, every: settings.every, limits, probe: look, changed: alerts.changed })
    return { channel, watch, alerts }
  }

  function deliver(alert: Alert): void {
    log(alert.status === 'firing' ? 'error' : 'info', { alert }, alert.message)
    for (const courier of couriers) courier.deliver(alert)
  }

  function buried({ to, correlationId }: { readonly to: string; readonly correlationId: string | undefined }): void {
    const grave = watched.find(({ channel }) => channel === to)
    grave?.alerts.buried(correlationId)
    grave?.watch.expectLetter()
  }

  const monitor: Monitor = {
    async start() {
      if (started) throw new RedriveError('not-running', 'start is not possible any more: a monitor starts once.')
      started = true
      await Promise.all(settings.notify.map((notifier) => notifier.prepare?.()))
      if (stopped) return
      if (consumer) stopListening = [consumer.on('dead-lettered', buried), consumer.on('invalid', buried)]
      for (const { watch } of watched) watch.start()
    },
    async probe() {
      await Promise.all(watched.map(({ watch }) => watch.look()))
    },
    status: () => watched.map(({ channel, watch }) => ({ channel, letters: watch.last?.count })),
    stop: () => (stopped ??= stop()),
    [Symbol.asyncDispose]: () => monitor.stop(),
  }
  return monitor

  async function stop(): Promise<void> {
    for (const stopOne of stopListening) stopOne()
    await Promise.all(watched.map(({ watch }) => watch.stop()))
    for (const { alerts } of watched) alerts.flush()
    await Promise.all(couriers.map((courier) => courier.stop()))
  }
}
