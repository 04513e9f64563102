import type { Capabilities } from './capabilities.ts'

/**
 * What every transport of the product must at least be able to do. A transport may do better than its row; below it the
 * conformance suite fails, and lowering a row needs a decision record. Kinds of queue that differ in what they can do have rows of
 * their own: no queue does all of what they do together.
 */
export type RowName =
  | 'memory'
  | 'embedded'
  | 'rabbitmq'
  | 'kafka'
  | 'servicebus'
  | 'servicebus-sessions'
  | 'rocketmq'
  | 'rocketmq-fifo'
  | 'rocketmq-delay'
  | 'postgres'
  | 'redis'
  | 'sqs'
  | 'sqs-fifo'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte
const hour = 3_600_000
const week = 7 * 24 * hour

/** Our own tables and our own memory: nothing stands between the seam and what it asks for. */
const everything: Capabilities = {
  hold: 'lock',
  counts: 'turns',
  retry: { by: 'native', inPlace: true, maxDelay: Number.POSITIVE_INFINITY, headers: true },
  deadLetter: { native: true, carriesFailure: true },
  move: 'atomic',
  browse: 'cursor',
  remove: 'by-position',
  ordering: 'lane',
  deduplication: 600_000,
  delayedSend: Number.POSITIVE_INFINITY,
  ttl: true,
  messages: {
    headers: 'typed',
    repeatedHeaders: true,
    tombstones: true,
    binary: true,
    maxBody: mebibyte,
    maxHeaders: 64 * kibibyte,
  },
}

const anyQueueOfSqs = {
  hold: 'lock',
  // The redrive policy acts on the receive count alone: nobody can reject a message.
  deadLetter: { native: false, carriesFailure: false },
  move: 'none',
  // Whoever looks takes: it hides the message, counts, and in the end the redrive policy moves what was looked at.
  browse: 'none',
  remove: 'none',
  deduplication: 0,
  ttl: false,
  messages: {
    headers: 'text',
    repeatedHeaders: false,
    tombstones: false,
    binary: false,
    // 256 KiB in all, attributes included.
    maxBody: 192 * kibibyte,
    maxHeaders: 32 * kibibyte,
  },
} as const

const anyEntityOfServiceBus = {
  hold: 'lock',
  counts: 'deliveries',
  deadLetter: { native: true, carriesFailure: true },
  move: 'none',
  browse: 'cursor',
  remove: 'none',
  deduplication: 0,
  delayedSend: week,
  ttl: true,
  messages: {
    headers: 'typed',
    repeatedHeaders: false,
    tombstones: false,
    binary: true,
    // The standard tier takes 256 KiB in all, of which headers may be 64.
    maxBody: 192 * kibibyte,
    maxHeaders: 32 * kibibyte,
  },
} as const

const anyTopicOfRocketmq = {
  hold: 'lock',
  counts: 'deliveries',
  retry: { by: 'native', inPlace: true, maxDelay: hour, headers: false },
  deadLetter: { native: false, carriesFailure: false },
  move: 'none',
  browse: 'disturbing',
  remove: 'none',
  deduplication: 0,
  ttl: false,
  messages: {
    headers: 'text',
    repeatedHeaders: false,
    tombstones: false,
    binary: true,
    maxBody: 4 * mebibyte,
    // 16 KiB in all, of which the broker's own properties take a part.
    maxHeaders: 12 * kibibyte,
  },
} as const

export const requiredCapabilities: Readonly<Record<RowName, Capabilities>> = {
  memory: everything,
  embedded: everything,
  rabbitmq: {
    hold: 'connection',
    // A quorum queue counts deliveries, a classic queue only says "redelivered"; the row is what both give.
    counts: 'copies',
    // One delay queue for each level of backoff: a copy is published there, confirmed, then the original is acknowledged.
    retry: { by: 'copy', inPlace: false, maxDelay: week, headers: false },
    deadLetter: { native: true, carriesFailure: false },
    move: 'none',
    // A classic queue can be browsed, which disturbs it; looking at a quorum queue counts and may destroy. The row is what both give.
    browse: 'none',
    remove: 'none',
    ordering: 'none',
    deduplication: 0,
    delayedSend: week,
    ttl: true,
    messages: {
      headers: 'typed',
      repeatedHeaders: false,
      tombstones: false,
      binary: true,
      // The default limit of RabbitMQ 4; version 3 allows more. The client library encodes all headers into 64 KiB.
      maxBody: 16 * mebibyte,
      maxHeaders: 60 * kibibyte,
    },
  },
  kafka: {
    hold: 'offset',
    // In the metadata of the offset commit, once per fetched batch: the log itself counts nothing.
    counts: 'turns',
    // A copy blocks nobody; in its place a record keeps the order of its key.
    retry: { by: 'copy', inPlace: true, maxDelay: week, headers: false },
    deadLetter: { native: false, carriesFailure: false },
    move: 'none',
    browse: 'cursor',
    remove: 'none',
    ordering: 'lane',
    deduplication: 0,
    delayedSend: week,
    ttl: false,
    messages: {
      headers: 'bytes',
      repeatedHeaders: true,
      tombstones: true,
      binary: true,
      // The default limit of a topic is one mebibyte for the whole batch, framing and headers included.
      maxBody: 900 * kibibyte,
      maxHeaders: 64 * kibibyte,
    },
  },
  // Entities with and without sessions are two kinds of transport: docs/adr/service-bus-sessions.md.
  servicebus: {
    ...anyEntityOfServiceBus,
    // An abandoned message comes back at once; a delay is a scheduled copy.
    retry: { by: 'copy', inPlace: false, maxDelay: week, headers: false },
    ordering: 'none',
  },
  'servicebus-sessions': {
    ...anyEntityOfServiceBus,
    // A copy would stand behind its siblings: so a message is abandoned, and whoever has the session waits before giving it out.
    retry: { by: 'native', inPlace: true, maxDelay: hour, headers: true },
    ordering: 'lane',
  },
  // Types of topic are kinds of transport: docs/adr/rocketmq-by-protocol.md.
  rocketmq: { ...anyTopicOfRocketmq, ordering: 'none', delayedSend: 0 },
  'rocketmq-fifo': { ...anyTopicOfRocketmq, ordering: 'lane', delayedSend: 0 },
  'rocketmq-delay': { ...anyTopicOfRocketmq, ordering: 'none', delayedSend: hour },
  postgres: {
    ...everything,
    // A rejected message is moved in one transaction by us; expiry and deduplication are not asked of it.
    deadLetter: { native: false, carriesFailure: false },
    deduplication: 0,
    ttl: false,
  },
  redis: {
    hold: 'lock',
    counts: 'deliveries',
    retry: { by: 'native', inPlace: true, maxDelay: week, headers: false },
    deadLetter: { native: false, carriesFailure: false },
    move: 'atomic',
    browse: 'cursor',
    remove: 'by-position',
    ordering: 'none',
    deduplication: 0,
    delayedSend: week,
    ttl: false,
    messages: {
      headers: 'text',
      repeatedHeaders: false,
      tombstones: false,
      binary: true,
      maxBody: mebibyte,
      maxHeaders: 64 * kibibyte,
    },
  },
  // Kinds of queue are kinds of transport: docs/adr/sqs-kinds-of-queue.md.
  sqs: {
    ...anyQueueOfSqs,
    // The receive count blames the neighbours of a crash, and a retry by visibility is counted like one: so copies carry the turns.
    counts: 'copies',
    retry: { by: 'copy', inPlace: false, maxDelay: hour / 4, headers: false },
    ordering: 'none',
    delayedSend: hour / 4,
  },
  'sqs-fifo': {
    ...anyQueueOfSqs,
    // A copy would stand behind its siblings: so a message waits where it is, by visibility, and the receive count is what there is.
    counts: 'deliveries',
    retry: { by: 'native', inPlace: true, maxDelay: 11 * hour, headers: false },
    ordering: 'lane',
    delayedSend: 0,
  },
}

/** From the least to the most, where a capability is a word. `hold` has no order: it is simply what the broker is. */
const grades = {
  counts: ['copies', 'deliveries', 'turns'],
  by: ['copy', 'native'],
  move: ['none', 'atomic'],
  browse: ['none', 'disturbing', 'cursor'],
  remove: ['none', 'by-position'],
  ordering: ['none', 'lane'],
  headers: ['text', 'bytes', 'typed'],
} as const

/** Why no broker can be like that, as sentences: a row that contradicts itself would be met by none, and its lack excused for ever. */
export function contradictions({ retry, delayedSend, deadLetter, browse, remove }: Capabilities): string[] {
  const rules: readonly (readonly [boolean, string])[] = [
    [retry.by === 'native' && !retry.inPlace, 'A native retry is one in place.'],
    [retry.by === 'copy' && !retry.inPlace && retry.maxDelay > delayedSend, 'A retry by copy waits no longer than a send.'],
    [!deadLetter.native && deadLetter.carriesFailure, 'A failure travels only with a reject.'],
    [remove === 'by-position' && browse === 'none', 'Positions to remove by are given by browsing.'],
  ]
  return rules.flatMap(([isBroken, why]) => (isBroken ? [why] : []))
}

type Value = string | number | boolean

/** Every capability of which a transport has less than its row demands, as a sentence. Empty: it may be shipped. */
export function shortfalls(name: string, capabilities: Capabilities): string[] {
  if (!Object.hasOwn(requiredCapabilities, name)) return [`${name} has no row in the table of required capabilities.`]
  const had = flatten(capabilities)
  return Object.entries(flatten(requiredCapabilities[name as RowName])).flatMap(([path, required]) => {
    const value = had[path]
    return value !== undefined && suffices(path, value, required) ? [] : [`${path} is ${value}; ${name} needs ${required}.`]
  })
}

function suffices(path: string, value: Value, required: Value): boolean {
  if (typeof value !== typeof required) return false
  if (typeof value !== 'string') return value >= required
  const grade: readonly Value[] = grades[path.slice(path.lastIndexOf('.') + 1) as keyof typeof grades] ?? [required]
  return grade.indexOf(value) >= grade.indexOf(required)
}

function flatten(capabilities: object, prefix = ''): Record<string, Value> {
  const entries = Object.entries(capabilities).map(([key, value]: [string, Value | object]) =>
    typeof value === 'object' ? flatten(value, `${prefix}${key}.`) : { [prefix + key]: value },
  )
  return Object.assign({}, ...entries)
}
