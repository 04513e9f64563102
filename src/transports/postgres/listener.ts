import type { Client } from 'pg'
import { delayFor } from '../../core/backoff.ts'
import type { Cancel } from '../../core/ports.ts'
import type { Connections } from '../../platform/postgres/connections.ts'
import type { Settings } from './options.ts'

/** Hears, while somebody receives, that something may be claimable. */
export interface Listener {
  start(): void
  stop(): Promise<void>
}

const backoff = { kind: 'exponential', first: 100, factor: 2, max: 5_000, jitter: 0.5 } as const
/** How often a silent connection is asked whether it is still one. Milliseconds. */
const pingEvery = 10_000

export function notificationName(schema: string): string {
  return `redrive_${schema}`
}

/** Tells `heard` a channel's number, or nothing after a gap in which anything may have come. */
export function createListener(connections: Connections, settings: Settings, heard: (channel?: number) => void): Listener {
  const { clock, random, schema } = settings
  let wanted = false
  let failures = 0
  let client: Client | undefined
  let connecting: Promise<void> | undefined
  let cancel: Cancel | undefined

  async function connect(): Promise<void> {
    try {
      const connected = await connections.dedicated()
      connected.on('notification', ({ payload }) => heard(Number(payload)))
      connected.once('end', () => lost(connected))
      client = connected
      await connected.query(`LISTEN ${notificationName(schema)}`)
      failures = 0
      cancel = clock.after(pingEvery, ping, { background: true })
      heard()
    } catch {
      // Whoever takes is told by a claim of its own; here it is only tried again.
      lost(client)
    }
  }

  function lost(which: Client | undefined): void {
    if (which !== client) return
    client = undefined
    cancel?.()
    void which?.end().catch(() => {})
    if (!wanted) return
    heard()
    cancel = clock.after(delayFor(backoff, ++failures, random()), begin, { background: true })
  }

  function begin(): void {
    connecting = connect()
  }

  function ping(): void {
    const asked = client
    if (asked === undefined) return
    cancel = clock.after(pingEvery, ping, { background: true })
    asked.query('SELECT 1').catch(() => lost(asked))
  }

  return {
    start() {
      if (wanted) return
      wanted = true
      begin()
    },
    async stop() {
      wanted = false
      cancel?.()
      await connecting
      cancel?.()
      const ended = client
      client = undefined
      if (ended) await connections.dismiss(ended)
    },
  }
}
