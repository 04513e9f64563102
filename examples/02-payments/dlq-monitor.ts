import { setTimeout as sleep } from 'node:timers/promises'
import { createMonitor, type Notifier, webhook } from '../../src/monitor/monitor.ts'
import type { Consumer } from '../../src/redrive.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { newFailures, type PermanentFailure } from './failures.ts'
import { channels } from './messages.ts'
import { untilChannelExists } from './until-channel-exists.ts'

export interface DlqMonitorOptions {
  readonly transport: Transport
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly every: number
  /** The workers, where they run in this process: their letters are seen at once. */
  readonly consumer: Consumer | undefined
  /** Where alerts are posted, beside the screen. */
  readonly webhook: string | undefined
  readonly alerted: (text: string) => void
  readonly failed: (failure: PermanentFailure) => void
  /** Letters that lie in the dead-letter channel right now; `undefined` when nobody knows. */
  readonly counted: (letters: number | undefined) => void
}

export interface DlqMonitor {
  /** Runs until it is told to stop. */
  run(): Promise<void>
  /** Looks a last time. */
  finish(): Promise<void>
}

const watched: readonly string[] = [channels.deadSettlements, channels.invalidSettlements]

/** Counts the dead letters and alerts. It only looks: every letter stays where it is, for a person to decide about. */
export function createDlqMonitor(options: DlqMonitorOptions): DlqMonitor {
  const { transport, signal, every, consumer, failed, counted } = options
  const looks = watched.map((name) => newFailures(transport, name))
  const monitor = createMonitor({
    ...{ transport, channels: watched, component: 'payments', logger: false, every, resolveAfter: '10s' },
    ...(consumer && { consumer }),
    notify: notifiersOf(options),
  })

  async function look(): Promise<void> {
    for (const lookAtNew of looks) for (const failure of await lookAtNew()) failed(failure)
    counted(monitor.status().find(({ channel }) => channel === channels.deadSettlements)?.letters)
  }

  return {
    async run() {
      for (const name of watched) await untilChannelExists(transport, name, signal)
      await monitor.start()
      while (!signal.aborted) {
        await look()
        await sleep(every, undefined, { signal }).catch(() => {})
      }
    },
    async finish() {
      await monitor.probe()
      await look()
      await monitor.stop()
    },
  }
}

function notifiersOf({ alerted, webhook: url }: DlqMonitorOptions): readonly Notifier[] {
  const screen: Notifier = {
    name: 'screen',
    async send({ status, severity, message, correlationIds }) {
      alerted([status === 'firing' ? severity : 'RESOLVED', message, ...correlationIds].join(' '))
      return { kind: 'sent' }
    },
  }
  const apiKey = process.env['WEBHOOK_API_KEY']
  return url === undefined ? [screen] : [screen, webhook({ url, ...(apiKey && { apiKey }) })]
}
