import type { Connection } from 'rhea'
import rhea from 'rhea'
import { type OutLink, refuse, withholdAttach } from './amqp-links.ts'
import { type Consumer, pump } from './deliver.ts'
import type { MessageStore } from './message-store.ts'
import type { Namespace, Queue } from './namespace.ts'
import { notAllowed, ServiceError, sessionLockLost } from './service-error.ts'

/** The links by which clients receive, and what is given to whom. */
export interface Consumers {
  /** Something can be delivered from this store. */
  wake(store: MessageStore): void
  open(link: OutLink, path: string): void
  of(link: object): Consumer | undefined
  /** There may be room at this link. */
  pumpFor(link: object): void
  drop(link: object): void
  /** The session that this link had is not its own any more. */
  loseSession(link: object): void
  dropAll(connection: Connection): void
  detach(path: string): void
}

export interface ConsumersSettings {
  /** The namespace is made with `wake`, so that it comes later. */
  namespace(): Namespace
  readonly expiry: 'lazy' | 'eager'
}

const { types } = rhea
const sessionFilter = 'com.microsoft:session-filter'
const longestSessionWait = 60_000
/** Tenths of microseconds since the year 1 when 1970 began: how .NET counts time. */
const dotnetEpoch = 621_355_968_000_000_000n

export function createConsumers({ namespace, expiry }: ConsumersSettings): Consumers {
  const consumers = new Map<object, Consumer>()
  const byStore = new Map<MessageStore, Consumer[]>()
  const waitingForSession = new Set<() => void>()
  const dirty = new Set<MessageStore>()

  /** Once for all that happened in this turn of the event loop. */
  function wake(store: MessageStore): void {
    if (dirty.size === 0)
      setImmediate(() => {
        const stores = [...dirty]
        dirty.clear()
        for (const each of stores) {
          if (expiry === 'eager') each.expire()
          pump(byStore.get(each) ?? [])
        }
        for (const look of [...waitingForSession]) look()
      })
    dirty.add(store)
  }

  function open(link: OutLink, path: string): void {
    const { queue, store } = namespace().store(path)
    const { filter } = link.source as { filter?: Readonly<Record<string, unknown>> }
    const inSession = filter !== undefined && filter !== null && sessionFilter in filter
    if (queue.settings.forwardTo !== undefined)
      throw notAllowed('Cannot create a message receiver on an entity with auto-forwarding enabled.')
    if (inSession !== (queue.settings.requiresSession && !store.isGrave))
      throw notAllowed(
        inSession
          ? 'A sessionful message receiver cannot be created on an entity that does not require sessions.'
          : 'It is not possible for an entity that requires sessions to create a non-sessionful message receiver.',
      )
    const wanted = inSession ? sessionOf(filter[sessionFilter]) : undefined
    if (!inSession) serve(link, store, undefined)
    else if (wanted !== undefined) acceptSession(link, queue, wanted)
    else waitForSession(link, queue)
  }

  /** The service answers when there is a session, or says that there was none for too long. */
  function waitForSession(link: OutLink, queue: Queue): void {
    withholdAttach(link)
    const { clock } = namespace()
    const asked = Number(
      (link.properties as Record<string, unknown> | undefined)?.['com.microsoft:timeout'] ?? longestSessionWait,
    )
    const finish = (act: () => void): void => {
      if (!waitingForSession.delete(look)) return
      if (!link.connection.is_open()) return
      link.open()
      act()
    }
    const look = (): void => {
      const free = freeSession(queue)
      if (free !== undefined) finish(() => acceptSession(link, queue, free))
    }
    waitingForSession.add(look)
    clock.at(clock.now() + asked, () =>
      finish(() => refuse(link, new ServiceError('com.microsoft:timeout', 'No session was available in the allotted time.'))),
    )
    look()
  }

  function freeSession({ messages, sessions }: Queue): string | undefined {
    for (const { state, lock, message } of messages.from(0)) {
      const id = message.sessionId
      if (state === 'active' && !lock && id !== undefined && sessions.isFree(id)) return id
    }
    return undefined
  }

  function acceptSession(link: OutLink, { messages, sessions }: Queue, id: string): void {
    const until = sessions.accept(id, link)
    const ticks = BigInt(until) * 10_000n + dotnetEpoch
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64BE(ticks)
    link.set_source({ address: messages.path, filter: { [sessionFilter]: id } })
    link.local.attach.properties = { 'com.microsoft:locked-until-utc': types.wrap_long(bytes) }
    serve(link, messages, id)
  }

  function serve(link: OutLink, store: MessageStore, sessionId: string | undefined): void {
    const consumer = { link, store, sessionId, destructive: link.snd_settle_mode === 1, unsettled: new Map<number, string>() }
    consumers.set(link, consumer)
    byStore.set(store, [...(byStore.get(store) ?? []), consumer])
    store.expire()
    wake(store)
  }

  /** Locks of messages stay until they end by themselves: they may be settled by request. A session is free at once. */
  function drop(link: object): void {
    const consumer = consumers.get(link)
    if (!consumer) return
    consumers.delete(link)
    const others = byStore.get(consumer.store)
    others?.splice(others.indexOf(consumer), 1)
    if (consumer.sessionId !== undefined) {
      namespace().store(consumer.store.path).queue.sessions.release(consumer.sessionId, link)
      wake(consumer.store)
    }
  }

  return {
    wake,
    open,
    of: (link) => consumers.get(link),
    pumpFor(link) {
      const consumer = consumers.get(link)
      if (consumer) pump(byStore.get(consumer.store) ?? [])
    },
    drop,
    loseSession(link) {
      const consumer = consumers.get(link)
      if (!consumer) return
      drop(link)
      const { condition, message: description } = sessionLockLost()
      consumer.link.close({ condition, description })
    },
    dropAll(connection) {
      for (const [link, { link: sender }] of [...consumers]) if (sender.connection === connection) drop(link)
    },
    detach(path) {
      const { store } = namespace().store(path)
      for (const { link } of [...(byStore.get(store) ?? [])]) {
        drop(link)
        const description = 'The link was detached by the service. Details: IdleTimerExpired.'
        link.close({ condition: 'amqp:link:detach-forced', description })
      }
    },
  }
}

function sessionOf(filter: unknown): string | undefined {
  const value = typeof filter === 'object' && filter !== null && 'value' in filter ? filter.value : filter
  return typeof value === 'string' ? value : undefined
}
