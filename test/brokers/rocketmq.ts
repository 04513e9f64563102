import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** The same server behind a proxy of ours, which listens at that port and can be cut. */
export function throughPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** A message as it stands in a topic. */
export interface SeenMessage {
  readonly queue: number
  readonly offset: number
  readonly body: Buffer
  readonly properties: Readonly<Record<string, string>>
}

/** How far somebody has read, by queue. */
export type Cursor = Map<number, number>

/** What others do with the same server, by RocketMQ's own protocol and without any code of ours. */
export interface BareClient {
  /** Everything that was ever sent to a topic and is still kept, whoever has read it, oldest of each queue first. */
  messagesIn(topic: string): Promise<readonly SeenMessage[]>
  /** What came since the cursor, which moves on behind it. */
  readOn(topic: string, cursor: Cursor): Promise<readonly SeenMessage[]>
  /** Where a topic ends now. */
  endOf(topic: string): Promise<Cursor>
  /** Up to where a group has said that it is done; without queues of which it has said nothing. */
  doneBy(topic: string, group: string): Promise<Cursor>
  /** How far a group is behind: on a topic in order that is what was not acknowledged. */
  lag(topic: string, group: string): Promise<number>
  createTopic(topic: string, type: string, queues?: number): Promise<void>
  /** `retryMaxTimes`: deliveries after the first, before the broker gives a message up. */
  createGroup(group: string, retryMaxTimes: number): Promise<void>
  deleteTopic(topic: string): Promise<void>
}

interface Answer {
  readonly code: number
  readonly extFields?: Readonly<Record<string, string>>
  readonly body: Buffer
}

type Fields = Readonly<Record<string, string | number>>

interface Place {
  readonly [field: string]: string | number
  readonly topic: string
  readonly queueId: number
}

export function bareClient(url: string): BareClient {
  const nameServer = Number(new URL(url).searchParams.get('nameServer')?.split(':')[1])
  const masterPort = async (): Promise<number> => {
    const [, port] = /"broker-a".*?0:"127\.0\.0\.1:(\d+)"/.exec(String((await ask(nameServer, 106)).body)) ?? []
    return Number(port)
  }

  async function places(topic: string): Promise<readonly Place[]> {
    // Of a topic that the broker has made for itself, name servers hear half a minute later; it has one queue.
    if (topic.startsWith('%')) return [{ topic, queueId: 0 }]
    const { code, body } = await ask(nameServer, 105, { topic })
    if (code !== 0) throw new Error(`No route for ${topic}: ${code}`)
    const count = Number(/"readQueueNums":(\d+)/.exec(String(body))?.[1])
    return Array.from({ length: count }, (_, queueId) => ({ topic, queueId }))
  }

  /** Where there is no such topic, there is nothing. */
  async function offset(port: number, code: number, fields: Fields): Promise<number> {
    const answer = await ask(port, code, fields)
    if (![0, 17].includes(answer.code)) throw new Error(`Asked for an offset, it answered with ${answer.code}.`)
    return Math.max(0, Number(answer.extFields?.['offset'] ?? 0))
  }

  async function inQueue(port: number, place: Place, from: number): Promise<SeenMessage[]> {
    const found: SeenMessage[] = []
    const end = await offset(port, 30, place)
    for (let at = Math.max(from, await offset(port, 31, place)); at < end; ) {
      const { code, body, extFields } = await ask(port, 11, {
        ...place,
        ...{ consumerGroup: 'TOOLS_CONSUMER', queueOffset: at, maxMsgNums: 32, sysFlag: 4, commitOffset: 0 },
        ...{ suspendTimeoutMillis: 0, subscription: '*', subVersion: 0, expressionType: 'TAG' },
      })
      if (code === 0) found.push(...messagesOf(body))
      const next = Number(extFields?.['nextBeginOffset'] ?? at)
      if (next <= at) break
      at = next
    }
    return found
  }

  async function endOf(topic: string): Promise<Cursor> {
    const port = await masterPort()
    const cursor: Cursor = new Map()
    for (const place of await places(topic)) cursor.set(place.queueId, await offset(port, 30, place))
    return cursor
  }

  async function readOn(topic: string, cursor: Cursor): Promise<readonly SeenMessage[]> {
    const port = await masterPort()
    const found: SeenMessage[] = []
    for (const place of await places(topic)) {
      const some = await inQueue(port, place, cursor.get(place.queueId) ?? 0)
      const last = some.at(-1)
      if (last) cursor.set(place.queueId, last.offset + 1)
      found.push(...some)
    }
    return found
  }

  async function doneBy(topic: string, consumerGroup: string): Promise<Cursor> {
    const port = await masterPort()
    const cursor: Cursor = new Map()
    for (const place of await places(topic)) {
      const { code, extFields } = await ask(port, 14, { ...place, consumerGroup, setZeroIfNotFound: 'false' })
      if (code === 0) cursor.set(place.queueId, Number(extFields?.['offset']))
      else if (![17, 22].includes(code)) throw new Error(`Asked how far ${consumerGroup} is, it answered with ${code}.`)
    }
    return cursor
  }

  return {
    messagesIn: (topic) => readOn(topic, new Map()),
    readOn,
    endOf,
    doneBy,
    async lag(topic, group) {
      const [done, end] = [await doneBy(topic, group), await endOf(topic)]
      return [...end].reduce((sum, [queue, offset]) => sum + offset - (done.get(queue) ?? 0), 0)
    },
    async createTopic(topic, type, queues = 8) {
      const numbers = { readQueueNums: queues, writeQueueNums: queues, perm: 6, topicSysFlag: 0 }
      const rest = { defaultTopic: 'TBW102', topicFilterType: 'SINGLE_TAG', order: 'false', attributes: `+message.type=${type}` }
      await ask(await masterPort(), 17, { topic, ...numbers, ...rest })
    },
    async createGroup(groupName, retryMaxTimes) {
      const config = { groupName, retryMaxTimes, consumeEnable: true, retryQueueNums: 1, brokerId: 0 }
      await ask(await masterPort(), 200, {}, Buffer.from(JSON.stringify(config)))
    },
    async deleteTopic(topic) {
      await ask(await masterPort(), 215, { topic })
      await ask(nameServer, 216, { topic })
    },
  }
}

/** One connection to each server, and one question at a time on it: nothing that could be mistaken about. */
const lines = new Map<number, { readonly socket: Socket; turn: Promise<unknown> }>()

async function ask(port: number, code: number, fields: Fields = {}, body: Buffer = Buffer.alloc(0)): Promise<Answer> {
  const known = lines.get(port)
  const question = frameOf(code, fields, body)
  if (!known) return inTurn(port, question)
  // The server may have closed it since: all questions may be asked twice.
  return inTurn(port, question).catch(() => inTurn(port, question))
}

function inTurn(port: number, question: Buffer): Promise<Answer> {
  const line = lines.get(port) ?? { socket: opened(port), turn: Promise.resolve() }
  lines.set(port, line)
  const answer = line.turn.then(() => answerTo(line.socket, question))
  line.turn = answer.catch(() => line.socket.destroy())
  return answer
}

function opened(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.on('close', () => {
    if (lines.get(port)?.socket === socket) lines.delete(port)
  })
  return socket
}

/** Nobody is kept from ending by a connection on which nothing is asked. */
async function answerTo(socket: Socket, question: Buffer): Promise<Answer> {
  if (socket.destroyed) throw new Error('The connection was lost.')
  socket.ref()
  socket.write(question)
  let bytes = Buffer.alloc(0)
  while (bytes.length < 8 || bytes.length < 4 + bytes.readInt32BE(0)) bytes = Buffer.concat([bytes, await moreFrom(socket)])
  socket.unref()
  const end = 8 + (bytes.readInt32BE(4) & 0xff_ff_ff)
  return { ...JSON.parse(bytes.toString('utf8', 8, end)), body: bytes.subarray(end) }
}

async function moreFrom(socket: Socket): Promise<Buffer> {
  const over = new AbortController()
  const lost = once(socket, 'close', { signal: over.signal }).then(() => {
    throw new Error('The connection was lost.')
  })
  try {
    const [more] = (await Promise.race([once(socket, 'data', { signal: over.signal }), lost])) as [Buffer]
    return more
  } finally {
    over.abort()
    lost.catch(() => {})
  }
}

function frameOf(code: number, fields: Fields, body: Buffer): Buffer {
  const extFields = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  const header = Buffer.from(JSON.stringify({ code, language: 'OTHER', version: 0, opaque: 1, flag: 0, extFields }))
  const lengths = Buffer.alloc(8)
  lengths.writeInt32BE(4 + header.length + body.length, 0)
  lengths.writeInt32BE(header.length, 4)
  return Buffer.concat([lengths, header, body])
}

/** Frames of the commit log, with addresses of four bytes. */
function messagesOf(bytes: Buffer): SeenMessage[] {
  const found: SeenMessage[] = []
  for (let start = 0; start < bytes.length; start += bytes.readInt32BE(start)) {
    const bodyAt = start + 84
    const body = bytes.subarray(bodyAt + 4, bodyAt + 4 + bytes.readInt32BE(bodyAt))
    const topicAt = bodyAt + 4 + body.length
    const propertiesAt = topicAt + 1 + bytes.readUInt8(topicAt)
    const text = bytes.toString('utf8', propertiesAt + 2, propertiesAt + 2 + bytes.readInt16BE(propertiesAt))
    const pairs = text.split('\u0002').filter((pair) => pair !== '')
    const properties = Object.fromEntries(pairs.map((pair) => pair.split('\u0001')))
    const [queue, offset] = [bytes.readInt32BE(start + 12), Number(bytes.readBigInt64BE(start + 20))]
    found.push({ queue, offset, body: Buffer.from(body), properties })
  }
  return found
}
