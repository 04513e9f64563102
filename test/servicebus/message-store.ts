import { newLockToken } from './lock-token.ts'
import { type StoredMessage, withProperties } from './sections.ts'
import type { ServerClock } from './server-clock.ts'
import { lockLost, notAllowed } from './service-error.ts'

/** One message in a queue, a subscription or a dead-letter sub-queue. */
export interface Entry {
  readonly sequence: number
  message: StoredMessage
  enqueuedAt: number
  expiresAt: number
  deliveryCount: number
  state: 'active' | 'scheduled' | 'deferred'
  /** It was deferred once, and stays so when its lock ends. */
  deferred: boolean
  lock: Lock | undefined
  deadLetterSource: string | undefined
}

interface Lock {
  readonly token: Buffer
  until: number
}

export interface StoreSettings {
  readonly path: string
  readonly clock: ServerClock
  readonly lockDuration: number
  /** Locks belong to sessions. */
  readonly inSessions: boolean
  /** A dead-letter sub-queue counts no deliveries, and nothing in it dies again. */
  readonly isGrave: boolean
  readonly maxDeliveryCount: number
  /** Something can be delivered. */
  onReady(): void
  /** The message has left this store, and goes among the dead letters. */
  onDead(entry: Entry, reason: string | undefined, description: string | undefined): void
  onExpired(entry: Entry): void
  readonly notes: StoreNotes
}

/** What has to be known again after a crash. */
export interface StoreNotes {
  /** It is in the store, as it is now. */
  put(entry: Entry): void
  gone(entry: Entry): void
  locked(entry: Entry): void
  /** What is noted inside is kept whole, or not at all. */
  together<T>(work: () => T): T
}

export interface MessageStore {
  readonly path: string
  readonly isGrave: boolean
  readonly size: number
  add(entry: Entry): void
  /** In the order of their sequence numbers, from one on. */
  from(sequence: number): IterableIterator<Entry>
  get(sequence: number): Entry | undefined
  remove(entry: Entry): void
  /** Locks the next message that somebody may have, of one session or of any. */
  next(sessionId?: string): Entry | undefined
  /** With an end of its own, or, in a session, until that ends. */
  lock(entry: Entry): Buffer
  unlockSession(sessionId: string): void
  /** All locks end now, though their time is not over. */
  unlockAll(): void
  /** Tokens of what is in somebody's hands, with sequence numbers. */
  lockedNow(): readonly (readonly [token: string, sequence: number])[]
  /** Its lock ended with the process that knew it: the delivery counts. */
  interrupted(sequence: number): void
  renew(token: string): number
  complete(token: string): void
  abandon(token: string, properties?: Readonly<Record<string, unknown>>): void
  defer(token: string, properties?: Readonly<Record<string, unknown>>): void
  deadLetter(token: string, reason?: string, description?: string, properties?: Readonly<Record<string, unknown>>): void
  count(state: Entry['state']): number
  expire(): void
}

export function messageStore(settings: StoreSettings): MessageStore {
  const { clock, isGrave, notes } = settings
  const entries = new Map<number, Entry>()
  /** Sequence numbers, ascending; some may be gone. */
  let order: number[] = []
  const locked = new Map<string, Entry>()
  /** Everything below it is locked or not active. */
  let firstReady = 0

  function indexOf(sequence: number): number {
    let low = 0
    for (let high = order.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((order[middle] ?? 0) < sequence) low = middle + 1
      else high = middle
    }
    return low
  }

  function ready(entry: Entry): void {
    firstReady = Math.min(firstReady, entry.sequence)
    settings.onReady()
  }

  function remove(entry: Entry): void {
    unlock(entry)
    entries.delete(entry.sequence)
    notes.gone(entry)
    if (order.length > 64 && order.length > 2 * entries.size) order = order.filter((sequence) => entries.has(sequence))
  }

  function unlock(entry: Entry): void {
    if (entry.lock) locked.delete(entry.lock.token.toString('hex'))
    entry.lock = undefined
  }

  function byToken(token: string): Entry & { lock: Lock } {
    const entry = locked.get(token)
    if (!entry?.lock || entry.lock.until <= clock.now()) throw lockLost()
    return entry as Entry & { lock: Lock }
  }

  /** The lock was given up or ran out: the delivery counts. */
  function giveBack(entry: Entry): void {
    unlock(entry)
    if (!isGrave) entry.deliveryCount++
    if (!isGrave && entry.deliveryCount >= settings.maxDeliveryCount) {
      const { maxDeliveryCount } = settings
      kill(entry, 'MaxDeliveryCountExceeded', `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`)
      return
    }
    if (entry.deferred) entry.state = 'deferred'
    notes.put(entry)
    if (!entry.deferred) ready(entry)
  }

  /** In one note: whoever crashes in between must not have lost it. */
  function kill(entry: Entry, reason?: string, description?: string): void {
    notes.together(() => {
      remove(entry)
      settings.onDead(entry, reason, description)
    })
  }

  function watchLock(entry: Entry, lock: Lock): void {
    clock.at(lock.until, () => {
      if (entry.lock !== lock) return
      if (lock.until > clock.now()) watchLock(entry, lock)
      else giveBack(entry)
    })
  }

  function expireIfDue(entry: Entry): boolean {
    if (isGrave || entry.lock || entry.state !== 'active' || entry.expiresAt > clock.now()) return false
    notes.together(() => {
      remove(entry)
      settings.onExpired(entry)
    })
    return true
  }

  function* from(sequence: number): IterableIterator<Entry> {
    // What is removed meanwhile may shorten the list: so it is by number, and not by index, that we go on.
    for (let at = indexOf(sequence); at < order.length; ) {
      const current = order[at] ?? 0
      const entry = entries.get(current)
      if (entry) yield entry
      at = order[at] === current ? at + 1 : indexOf(current + 1)
    }
  }

  function modify(entry: Entry, properties: Readonly<Record<string, unknown>> | undefined): void {
    if (properties) entry.message = withProperties(entry.message, properties)
  }

  return {
    path: settings.path,
    isGrave,
    get size() {
      return entries.size
    },
    add(entry) {
      entries.set(entry.sequence, entry)
      notes.put(entry)
      if (entry.sequence > (order.at(-1) ?? -1)) order.push(entry.sequence)
      else order.splice(indexOf(entry.sequence), 0, entry.sequence)
      if (entry.state === 'active') ready(entry)
    },
    from,
    get: (sequence) => entries.get(sequence),
    remove,
    next(sessionId) {
      let before = true
      for (const entry of from(firstReady)) {
        if (entry.lock || entry.state !== 'active' || expireIfDue(entry)) continue
        if (before) firstReady = entry.sequence
        before = false
        if (sessionId === undefined || entry.message.sessionId === sessionId) return entry
      }
      if (before) firstReady = (order.at(-1) ?? 0) + 1
      return undefined
    },
    lock(entry) {
      const lock = {
        token: newLockToken(),
        until: settings.inSessions ? Number.POSITIVE_INFINITY : clock.now() + settings.lockDuration,
      }
      entry.lock = lock
      locked.set(lock.token.toString('hex'), entry)
      notes.locked(entry)
      if (!settings.inSessions) watchLock(entry, lock)
      return lock.token
    },
    unlockSession(sessionId) {
      for (const entry of [...locked.values()]) if (entry.message.sessionId === sessionId) giveBack(entry)
    },
    unlockAll() {
      for (const entry of [...locked.values()]) giveBack(entry)
    },
    lockedNow: () => [...locked].map(([token, { sequence }]) => [token, sequence] as const),
    interrupted(sequence) {
      const entry = entries.get(sequence)
      if (entry) giveBack(entry)
    },
    renew(token) {
      const { lock } = byToken(token)
      lock.until = clock.now() + settings.lockDuration
      return lock.until
    },
    complete(token) {
      remove(byToken(token))
    },
    abandon(token, properties) {
      const entry = byToken(token)
      modify(entry, properties)
      giveBack(entry)
    },
    defer(token, properties) {
      const entry = byToken(token)
      modify(entry, properties)
      unlock(entry)
      entry.deferred = true
      entry.state = 'deferred'
      notes.put(entry)
    },
    deadLetter(token, reason, description, properties) {
      const entry = byToken(token)
      if (isGrave) throw notAllowed('Messages in a dead-letter queue cannot be dead-lettered.')
      modify(entry, properties)
      kill(entry, reason, description)
    },
    count: (state) => [...entries.values()].filter((entry) => entry.state === state).length,
    expire() {
      for (const entry of [...entries.values()]) expireIfDue(entry)
    },
  }
}
