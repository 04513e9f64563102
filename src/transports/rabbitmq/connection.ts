import type { Duplex } from 'node:stream'
import type { ChannelModel } from 'amqplib'
import { delayFor } from '../../core/backoff.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Backoff } from '../../core/policy.ts'
import type { Clock } from '../../core/ports.ts'
import { connectFailure } from './amqp-errors.ts'
import { loadAmqplib } from './library.ts'
import type { Host, Settings } from './options.ts'

/**
 * A connection that is made when somebody needs it, and made anew when somebody needs it after it was lost. What belongs to a
 * lost connection dies with its session; nothing is ever carried over, least of all a delivery tag.
 */
export interface Link {
  /** Waits for a connection at most `connectWithin`; rejects with `unreachable`, `access-denied` or `closed`. */
  session(): Promise<Session>
  close(): Promise<void>
}

export interface Session {
  readonly connection: ChannelModel
  /** The broker's version, such as `4.0.5`. */
  readonly version: string
  /** Aborts when the connection is gone. Its reason is a `RedriveError`. */
  readonly lost: AbortSignal
  /** While the broker is short of memory or disk it takes no messages from this connection. */
  readonly blocked: boolean
  /** Resolves when it is not blocked, or lost. */
  unblocked(): Promise<void>
  /** Lets the frames that were just written, and those that follow in the same moment, leave in one piece. */
  bundle(): void
  /** Ends it without asking the broker, which does not answer. */
  drop(reason: RedriveError): void
}

const backoff: Backoff = { kind: 'exponential', first: 50, max: 2000, factor: 2, jitter: 1 }

export function createLink(settings: Settings): Link {
  const { clock, random, hosts, connectWithin } = settings
  let live: Session | undefined
  let connecting: Promise<Session> | undefined
  let closed = false
  let nextHost = 0

  /** Every host once, then again after a while, until the time is up. */
  async function connect(): Promise<Session> {
    const deadline = clock.monotonic() + connectWithin
    for (let failures = 1; ; failures++) {
      const host = hosts[nextHost++ % hosts.length] as Host
      try {
        return await open(host)
      } catch (cause) {
        const { error, final } = connectFailure(cause, host.name, settings.vhost)
        const wait = failures % hosts.length === 0 ? delayFor(backoff, failures / hosts.length, random()) : 0
        if (final || closed || clock.monotonic() + wait >= deadline) throw error
        await new Promise<void>((resolve) => clock.after(wait, resolve))
      }
    }
  }

  async function open(host: Host): Promise<Session> {
    const { connect } = await loadAmqplib()
    const socket = { ...settings.tls, noDelay: true, keepAlive: true, timeout: Math.min(connectWithin, 5000) }
    const session = createSession(await connect(host, socket), clock)
    if (closed) {
      await session.connection.close().catch(() => {})
      throw new RedriveError('closed', 'The RabbitMQ transport is closed.')
    }
    live = session
    return session
  }

  return {
    async session() {
      if (closed) throw new RedriveError('closed', 'The RabbitMQ transport is closed.')
      if (live && !live.lost.aborted) return live
      connecting ??= connect().finally(() => {
        connecting = undefined
      })
      return connecting
    },
    async close() {
      closed = true
      await connecting?.catch(() => {})
      if (live && !live.lost.aborted) await closeWithin(live, settings)
    },
  }
}

function createSession(connection: ChannelModel, clock: Clock): Session {
  const lost = new AbortController()
  const waiting = new Set<() => void>()
  const socket = socketOf(connection)
  let bundling = false
  let blocked = false
  let failure: unknown

  function lose(reason: RedriveError): void {
    lost.abort(reason)
    letGo()
  }

  function letGo(): void {
    blocked = false
    for (const resolve of waiting) resolve()
    waiting.clear()
  }

  // Without a listener an 'error' event would end the process.
  connection.on('error', (error) => {
    failure = error
  })
  connection.on('close', (error) =>
    lose(new RedriveError('unreachable', 'The connection to RabbitMQ was lost.', { cause: failure ?? error })),
  )
  connection.on('blocked', () => {
    blocked = true
  })
  connection.on('unblocked', letGo)
  // What the library kept back while the socket was full, it writes when it hears of this.
  socket?.prependListener('drain', () => {
    socket.cork()
    process.nextTick(() => socket.uncork())
  })
  return {
    connection,
    version: connection.connection.serverProperties.version,
    lost: lost.signal,
    get blocked() {
      return blocked
    },
    async unblocked() {
      if (blocked) await new Promise<void>((resolve) => waiting.add(resolve))
    },
    bundle() {
      if (bundling) return
      bundling = true
      socket?.cork()
      // The library hands each frame to the socket by itself, a system call each, soon after the next tick: this comes behind it.
      process.nextTick(() =>
        clock.soon(() => {
          bundling = false
          socket?.uncork()
        }),
      )
    },
    drop(reason) {
      lose(reason)
      socket?.destroy(reason)
    },
  }
}

/**
 * A connection that does not answer is ended, and the next one is asked anew. Whoever asked hears of its end from us: the library
 * tells nobody who waits for a channel to close that the connection is gone. A question that has many answers says when one of them has come, and each
 * has the whole time.
 */
export async function answered<T>(
  session: Session,
  { clock, answerWithin }: Pick<Settings, 'clock' | 'answerWithin'>,
  question: Promise<T> | ((heard: () => void) => Promise<T>),
  about = 'a channel',
): Promise<T> {
  const silent = new RedriveError('unreachable', `RabbitMQ did not answer in time when it was asked about ${about}.`)
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => {})
  const lost = (): void => gone.reject(session.lost.reason)
  let cancel = (): void => {}
  const wait = (): void => {
    cancel()
    cancel = clock.after(answerWithin, () => session.drop(silent))
  }
  wait()
  session.lost.addEventListener('abort', lost, { once: true })
  if (session.lost.aborted) lost()
  try {
    return await Promise.race([typeof question === 'function' ? question(wait) : question, gone.promise])
  } finally {
    cancel()
    session.lost.removeEventListener('abort', lost)
  }
}

/** The library has no way to end a connection that does not answer, nor to write several frames at once; its socket has. */
function socketOf(connection: ChannelModel): Duplex | undefined {
  return (connection.connection as { stream?: Duplex }).stream
}

async function closeWithin(session: Session, { clock, answerWithin }: Settings): Promise<void> {
  const silent = new RedriveError('unreachable', 'RabbitMQ did not answer the close.')
  const cancel = clock.after(answerWithin, () => session.drop(silent))
  const gone = new Promise<void>((resolve) => session.lost.addEventListener('abort', () => resolve(), { once: true }))
  await Promise.race([session.connection.close().catch(() => {}), gone])
  cancel()
}
