import type { Redis } from 'ioredis'
import { delayFor } from '../../core/backoff.ts'
import type { Cancel } from '../../core/ports.ts'
import type { Connection } from './connection.ts'
import { notificationChannel } from './keys.ts'
import type { Settings } from './options.ts'

/** Hears, while somebody receives, that something may be claimable. */
export interface Listener {
  start(): void
  stop(): Promise<void>
}

const backoff = { kind: 'exponential', first: 100, factor: 2, max: 5_000, jitter: 0.5 } as const
/** How often a silent connection is asked whether it is still one. Milliseconds. */
const pingEvery = 10_000

/** Tells `heard` the key of a stream, or nothing after a gap in which anything may have come. */
export function createListener(connection: Connection, settings: Settings, heard: (stream?: string) => void): Listener {
  const { clock, random, prefix } = settings
  let wanted = false
  let failures = 0
  let client: Redis | undefined
  let connecting: Promise<void> | undefined
  let cancel: Cancel | undefined

  async function connect(): Promise<void> {
    try {
      const connected = await connection.dedicated()
      connected.on('message', (_channel: string, stream: string) => heard(stream))
      connected.once('end', () => lost(connected))
      client = connected
      await connected.subscribe(notificationChannel(prefix))
      failures = 0
      cancel = clock.after(pingEvery, ping, { background: true })
      heard()
    } catch {
      // Whoever takes is told by a claim of its own; here it is only tried again.
      lost(client)
    }
  }

  function lost(which: Redis | undefined): void {
    if (which !== client) return
    client = undefined
    cancel?.()
    which?.disconnect()
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
    asked.ping().catch(() => lost(asked))
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
      ended?.disconnect()
    },
  }
}
