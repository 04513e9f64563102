import { type CorrelationFilter, matches } from './filters.ts'
import { type Journal, noJournal } from './journal.ts'
import { keptOf } from './kept-entry.ts'
import { type Entry, type MessageStore, messageStore, type StoreNotes } from './message-store.ts'
import { annotation, parseMessage, type StoredMessage, withProperties } from './sections.ts'
import type { ServerClock } from './server-clock.ts'
import { entityNotFound, notAllowed } from './service-error.ts'
import { createSessions, type Sessions } from './sessions.ts'

/** Queues, topics and subscriptions, and how messages move among them. Knows nothing of AMQP links. */
export interface Namespace {
  readonly clock: ServerClock
  createQueue(name: string, settings?: EntitySettings): Queue
  createTopic(name: string, settings?: EntitySettings): Topic
  createSubscription(topic: string, name: string, settings?: EntitySettings): Queue
  remove(path: string): boolean
  queue(path: string): Queue | undefined
  topic(name: string): Topic | undefined
  /** What a receiver attaches to. */
  store(path: string): { readonly queue: Queue; readonly store: MessageStore }
  /** Writes an encoded message; tells its sequence numbers, one on a queue, one for each subscription of a topic. */
  send(path: string, bytes: Buffer): number[]
  /** Several messages, of which a crash leaves all or none. */
  sendAll(path: string, messages: readonly Buffer[]): void
  maxMessageSize(path: string): number
  /** After a crash: a message that was there before. */
  readmit(path: string, entry: Entry): void
}

export interface EntitySettings {
  /** Milliseconds. */
  readonly lockDuration?: number
  readonly maxDeliveryCount?: number
  readonly ttl?: number
  readonly deadLetterOnExpiry?: boolean
  readonly requiresSession?: boolean
  /** For so many milliseconds no second message of the same id is taken. */
  readonly duplicateWindow?: number
  readonly maxMessageSize?: number
  /** Takes no batch of several keys. */
  readonly partitioned?: boolean
  readonly forwardTo?: string
  readonly forwardDeadLettersTo?: string
  readonly filter?: CorrelationFilter
}

export interface Queue {
  readonly path: string
  readonly settings: Required<Omit<EntitySettings, 'forwardTo' | 'forwardDeadLettersTo' | 'filter'>> & EntitySettings
  readonly messages: MessageStore
  readonly deadLetters: MessageStore
  readonly sessions: Sessions
  readonly createdAt: number
}

export interface Topic {
  readonly path: string
  readonly settings: Queue['settings']
  readonly subscriptions: Map<string, Queue>
  readonly createdAt: number
}

const defaults = {
  lockDuration: 60_000,
  maxDeliveryCount: 10,
  ttl: Number.POSITIVE_INFINITY,
  deadLetterOnExpiry: false,
  requiresSession: false,
  duplicateWindow: 0,
  maxMessageSize: 256 * 1024,
  partitioned: false,
}
const grave = /\/\$deadletterqueue$/i
const inSubscription = /^(.*)\/subscriptions\/([^/]+)$/i

export interface NamespaceEvents {
  /** Something can be delivered from this store. */
  ready(store: MessageStore): void
  /** The session that this one had is not its own any more. */
  taken(owner: object): void
}

export function createNamespace(clock: ServerClock, events: NamespaceEvents, journal: Journal = noJournal): Namespace {
  const queues = new Map<string, Queue>()
  const topics = new Map<string, Topic>()
  const seenIds = new Map<Queue, Map<string, number>>()
  const nextSequence = new Map<Queue, number>()

  function notesOf(store: string): StoreNotes {
    return {
      put: (entry) => journal.write({ kind: 'put', store, ...keptOf(entry) }),
      gone: ({ sequence }) => journal.write({ kind: 'gone', store, sequence }),
      locked: ({ sequence }) => journal.write({ kind: 'locked', store, sequence }),
      together: journal.together,
    }
  }

  function createEntity(path: string, given: EntitySettings): Queue {
    const settings = { ...defaults, ...given }
    const shared = {
      clock,
      lockDuration: settings.lockDuration,
      maxDeliveryCount: settings.maxDeliveryCount,
      onDead: (entry: Entry, reason?: string, description?: string) => bury(queue, entry, reason, description),
      onExpired(entry: Entry) {
        if (settings.deadLetterOnExpiry) bury(queue, entry, 'TTLExpiredException', 'The message expired and was dead lettered.')
      },
    }
    const messages: MessageStore = messageStore({
      ...shared,
      path,
      isGrave: false,
      inSessions: settings.requiresSession,
      onReady: () => events.ready(messages),
      notes: notesOf(path),
    })
    const gravePath = `${path}/$DeadLetterQueue`
    const deadLetters: MessageStore = messageStore({
      ...shared,
      path: gravePath,
      isGrave: true,
      inSessions: false,
      onReady: () => events.ready(deadLetters),
      notes: notesOf(gravePath),
    })
    const sessions = createSessions(clock, settings.lockDuration, {
      ended: (id) => messages.unlockSession(id),
      taken: events.taken,
      stateSet: (id, state) => journal.write({ kind: 'session', path, id, ...(state && { state: state.toString('base64') }) }),
    })
    const queue: Queue = { path, settings, messages, deadLetters, sessions, createdAt: clock.now() }
    return queue
  }

  function bury(queue: Queue, entry: Entry, reason?: string, description?: string): void {
    const message = withProperties(entry.message, { DeadLetterReason: reason, DeadLetterErrorDescription: description })
    const { forwardDeadLettersTo } = queue.settings
    if (forwardDeadLettersTo === undefined) {
      queue.deadLetters.add({ ...entry, message, state: 'active', deferred: false, lock: undefined })
      return
    }
    const target = queues.get(forwardDeadLettersTo.toLowerCase())
    if (target) enqueue(target, message, queue.path)
  }

  function enqueue(queue: Queue, message: StoredMessage, deadLetterSource?: string): number {
    const { settings } = queue
    if (settings.requiresSession && message.sessionId === undefined)
      throw notAllowed('The SessionId was not set on a message, and it cannot be sent to the entity.')
    if (settings.forwardTo !== undefined) return sendParsed(settings.forwardTo, message)[0] ?? 0
    if (isDuplicate(queue, message)) return 0
    const sequence = (nextSequence.get(queue) ?? 0) + 1
    nextSequence.set(queue, sequence)
    const at = scheduledFor(message)
    const entry: Entry = {
      sequence,
      message,
      enqueuedAt: clock.now(),
      expiresAt: Number.POSITIVE_INFINITY,
      deliveryCount: 0,
      state: at > clock.now() ? 'scheduled' : 'active',
      deferred: false,
      lock: undefined,
      deadLetterSource,
    }
    if (entry.state === 'scheduled') clock.at(at, () => activate(queue, entry))
    else entry.expiresAt = expiry(queue, entry)
    queue.messages.add(entry)
    return sequence
  }

  function activate(queue: Queue, entry: Entry): void {
    if (queue.messages.get(entry.sequence) !== entry || entry.state !== 'scheduled') return
    journal.together(() => {
      queue.messages.remove(entry)
      entry.state = 'active'
      entry.enqueuedAt = clock.now()
      entry.expiresAt = expiry(queue, entry)
      queue.messages.add(entry)
    })
  }

  /** Nothing expires while nobody receives: the pump looks when somebody does, and here when its time comes. */
  function expiry({ settings, messages }: Queue, entry: Entry): number {
    const at = clock.now() + Math.min(entry.message.ttl ?? Number.POSITIVE_INFINITY, settings.ttl)
    if (at !== Number.POSITIVE_INFINITY) clock.at(at, () => events.ready(messages))
    return at
  }

  function isDuplicate(queue: Queue, { messageId }: StoredMessage): boolean {
    if (queue.settings.duplicateWindow === 0) return false
    const seen = seenIds.get(queue) ?? new Map<string, number>()
    seenIds.set(queue, seen)
    const known = (seen.get(messageId) ?? 0) > clock.now()
    if (!known) seen.set(messageId, clock.now() + queue.settings.duplicateWindow)
    return known
  }

  function sendParsed(path: string, message: StoredMessage): number[] {
    const topic = topics.get(path.toLowerCase())
    if (topic) {
      const wanting = [...topic.subscriptions.values()].filter(({ settings }) => matches(message, settings.filter ?? {}))
      return wanting.map((subscription) => enqueue(subscription, message))
    }
    const queue = queues.get(path.toLowerCase())
    if (!queue) throw entityNotFound(path)
    return [enqueue(queue, message)]
  }

  function send(path: string, bytes: Buffer): number[] {
    return journal.together(() => sendParsed(path, parseMessage(bytes)))
  }

  function find(path: string): Queue | undefined {
    const [, topic, subscription] = inSubscription.exec(path) ?? []
    if (topic === undefined || subscription === undefined) return queues.get(path.toLowerCase())
    return topics.get(topic.toLowerCase())?.subscriptions.get(subscription.toLowerCase())
  }

  return {
    clock,
    createQueue(name, settings = {}) {
      journal.write({ kind: 'entity', type: 'queue', path: name, settings })
      const queue = createEntity(name, settings)
      queues.set(name.toLowerCase(), queue)
      return queue
    },
    createTopic(name, settings = {}) {
      journal.write({ kind: 'entity', type: 'topic', path: name, settings })
      const topic = { path: name, settings: { ...defaults, ...settings }, subscriptions: new Map(), createdAt: clock.now() }
      topics.set(name.toLowerCase(), topic)
      return topic
    },
    createSubscription(topic, name, settings = {}) {
      const owner = topics.get(topic.toLowerCase())
      if (!owner) throw entityNotFound(topic)
      const path = `${owner.path}/Subscriptions/${name}`
      journal.write({ kind: 'entity', type: 'subscription', path, settings })
      const subscription = createEntity(path, settings)
      owner.subscriptions.set(name.toLowerCase(), subscription)
      return subscription
    },
    remove(path) {
      journal.write({ kind: 'removed', path })
      const [, topic, subscription] = inSubscription.exec(path) ?? []
      if (topic === undefined || subscription === undefined)
        return queues.delete(path.toLowerCase()) || topics.delete(path.toLowerCase())
      return topics.get(topic.toLowerCase())?.subscriptions.delete(subscription.toLowerCase()) ?? false
    },
    queue: find,
    topic: (name) => topics.get(name.toLowerCase()),
    store(path) {
      const queue = find(path.replace(grave, ''))
      if (!queue) throw entityNotFound(path)
      return { queue, store: grave.test(path) ? queue.deadLetters : queue.messages }
    },
    send,
    sendAll(path, messages) {
      const target = topics.get(path.toLowerCase()) ?? queues.get(path.toLowerCase())
      if (target?.settings.partitioned && new Set(messages.map(partitionOf)).size > 1)
        throw notAllowed(
          'Batching brokered messages with distinct SessionId or PartitionKey is not supported for an entity with partitioning enabled.',
        )
      journal.together(() => {
        for (const one of messages) send(path, one)
      })
    },
    readmit(path, entry) {
      const queue = find(path.replace(grave, ''))
      if (!queue) return
      nextSequence.set(queue, Math.max(nextSequence.get(queue) ?? 0, entry.sequence))
      if (grave.test(path)) return queue.deadLetters.add(entry)
      isDuplicate(queue, entry.message)
      if (entry.state === 'scheduled') clock.at(scheduledFor(entry.message), () => activate(queue, entry))
      queue.messages.add(entry)
    },
    maxMessageSize(path) {
      const target = topics.get(path.toLowerCase()) ?? queues.get(path.toLowerCase())
      if (!target) throw entityNotFound(path)
      return target.settings.maxMessageSize
    },
  }
}

/** The key by which a partitioned entity chooses where it is kept. */
function partitionOf(bytes: Buffer): unknown {
  const message = parseMessage(bytes)
  return message.sessionId ?? annotation(message, 'x-opt-partition-key')
}

/** In milliseconds; 0 for at once. */
function scheduledFor(message: StoredMessage): number {
  const wanted = annotation(message, 'x-opt-scheduled-enqueue-time')
  return wanted instanceof Date ? wanted.getTime() : Number(wanted ?? 0)
}
