import { RedriveError } from '../../core/errors.ts'
import { present } from '../../core/present.ts'
import type { Browsed, Page, PageRequest } from '../seam.ts'
import { answers, type Cluster, codes, type QueuePlace } from './cluster.ts'
import { type Incoming, toMessage } from './message.ts'
import { rangeOf } from './offsets.ts'
import { readStoredMessages, type StoredMessage } from './stored-message.ts'

/** The broker shows no more at once. */
const mostAtOnce = 32
/** So that it asks for no consumer, moves nobody's offset and does not wait. */
const noSuspendNoCommit = '4'

/** Reads by offset, under no group that anybody has: nobody's place moves. Oldest first over all queues, as the brokers' logs have them. */
export async function browse(cluster: Cluster, topic: string, { limit, after }: PageRequest): Promise<Page> {
  const places = await cluster.queuesOf(topic)
  const cursor = readCursor(after)
  const parts = await Promise.all(
    places.map(async (place) => {
      const { start, end } = await rangeOf(cluster, place)
      const asked = cursor.get(nameOf(place)) ?? start
      // A topic that was deleted and made anew counts from 0 again: a place behind its end is one of the old topic.
      const from = asked < start || asked > end ? start : asked
      return { place, end, from, messages: await pullUpTo(cluster, place, from, end, limit) }
    }),
  )
  const shown = parts
    .flatMap(({ place, messages }) => messages.map((message) => ({ place, message })))
    .sort((one, other) => byTime(one.message, other.message))
    .slice(0, limit)
  const next = parts.map(({ place, end, from, messages }) => {
    const count = shown.filter((each) => each.place === place).length
    const first = messages[count]
    const last = messages.at(-1)
    const offset = first?.offset ?? (messages.length < limit ? end : (last?.offset ?? from - 1) + 1)
    return { place, offset, isOver: offset >= end }
  })
  return {
    messages: shown.map(({ place, message }) => browsedOf(message, nameOf(place))),
    ...(next.some(({ isOver }) => !isOver) && {
      next: next.map(({ place, offset }) => `${nameOf(place)}:${offset}`).join(','),
    }),
  }
}

function nameOf({ broker, queue }: QueuePlace): string {
  return `${broker}/${queue}`
}

/** Logs of two brokers are compared by time alone. */
function byTime(one: StoredMessage, other: StoredMessage): number {
  return one.storedAt - other.storedAt || (one.logOffset < other.logOffset ? -1 : 1)
}

function readCursor(after: string | undefined): ReadonlyMap<string, number> {
  if (after === undefined) return new Map()
  return new Map(
    after.split(',').map((each): [string, number] => {
      const found = /^([^,:]+\/\d+):(\d{1,15})$/.exec(each)
      if (!found) throw new RedriveError('bad-option', 'after is not the next of a page before.')
      return [found[1] ?? '', Number(found[2])]
    }),
  )
}

async function pullUpTo(
  cluster: Cluster,
  place: QueuePlace,
  from: number,
  end: number,
  limit: number,
): Promise<readonly StoredMessage[]> {
  const messages: StoredMessage[] = []
  for (let at = from; at < end && messages.length < limit; ) {
    const some = await pull(cluster, place, at, Math.min(limit - messages.length, mostAtOnce))
    messages.push(...some.messages.filter(({ offset }) => offset < end))
    if (some.next <= at) break
    at = some.next
  }
  return messages
}

/** At most so many from an offset on, and where the next ones are. */
export async function pull(
  cluster: Cluster,
  { at, topic, queue }: QueuePlace,
  from: number,
  max: number,
): Promise<{ readonly messages: readonly StoredMessage[]; readonly next: number }> {
  const fields = {
    consumerGroup: 'TOOLS_CONSUMER',
    topic,
    queueId: String(queue),
    queueOffset: String(from),
    maxMsgNums: String(max),
    sysFlag: noSuspendNoCommit,
    commitOffset: '0',
    suspendTimeoutMillis: '0',
    subscription: '*',
    subVersion: '0',
    expressionType: 'TAG',
  }
  const expected = [answers.pullNothing, answers.pullAgain, answers.pullElsewhere]
  const answer = await cluster.ask(at, { code: codes.pull, fields }, expected)
  const messages = answer.code === answers.done ? readStoredMessages(answer.body) : []
  return { messages, next: Number(answer.fields['nextBeginOffset'] ?? from) }
}

/** Properties of the broker's own are none of the sender's. */
const isTheirs = (name: string): boolean => !/^[A-Z0-9_]+$/.test(name) && !name.startsWith('__')

function browsedOf({ body, properties, reconsumeTimes, storedAt, offset }: StoredMessage, place: string): Browsed {
  const own = [...properties].filter(([name]) => !isTheirs(name))
  const tag = properties.get('TAGS')
  const messageGroup = properties.get('__SHARDINGKEY')
  const keys = properties.get('KEYS')?.split(' ')
  const messageId = properties.get('UNIQ_KEY')
  const incoming: Incoming = {
    ...{ body, tag, messageGroup },
    properties: new Map([...properties].filter(([name]) => isTheirs(name))),
    native: { ...Object.fromEntries(own), ...present({ tag, messageGroup, keys, messageId }) },
  }
  // Who receives it knows it by its id; clients before version 4 gave it none.
  const position = messageId ?? `${place}/${offset}`
  return { message: toMessage(incoming), position, deliveries: reconsumeTimes + 1, enqueuedAt: storedAt }
}
