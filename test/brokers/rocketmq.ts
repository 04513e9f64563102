import { once } from 'node:events'
import { connect } from 'node:net'

/** The same server behind a proxy of ours, which listens at that port and can be cut. */
export function throughPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

/** A message as it stands in a topic. */
export interface SeenMessage {
  readonly body: Buffer
  readonly properties: Readonly<Record<string, string>>
}

/** What others do with the same server, by RocketMQ's own protocol and without any code of ours. */
export interface BareClient {
  /** Everything that was ever sent to a topic and is still kept, whoever has read it, oldest of each queue first. */
  messagesIn(topic: string): Promise<readonly SeenMessage[]>
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

export function bareClient(url: string): BareClient {
  const nameServer = Number(new URL(url).searchParams.get('nameServer')?.split(':')[1])
  const masterPort = async (): Promise<number> => {
    const [, port] = /"broker-a".*?0:"127\.0\.0\.1:(\d+)"/.exec(String((await ask(nameServer, 106)).body)) ?? []
    return Number(port)
  }

  async function places(topic: string): Promise<readonly Fields[]> {
    const { code, body } = await ask(nameServer, 105, { topic })
    if (code !== 0) throw new Error(`No route for ${topic}: ${code}`)
    const count = Number(/"readQueueNums":(\d+)/.exec(String(body))?.[1])
    return Array.from({ length: count }, (_, queueId) => ({ topic, queueId }))
  }

  async function offset(port: number, code: number, fields: Fields): Promise<number> {
    return Math.max(0, Number((await ask(port, code, fields)).extFields?.['offset'] ?? 0))
  }

  async function inQueue(port: number, place: Fields): Promise<SeenMessage[]> {
    const found: SeenMessage[] = []
    const end = await offset(port, 30, place)
    for (let at = await offset(port, 31, place); at < end; ) {
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

  return {
    async messagesIn(topic) {
      const port = await masterPort()
      const found: SeenMessage[] = []
      for (const place of await places(topic)) found.push(...(await inQueue(port, place)))
      return found
    },
    async lag(topic, consumerGroup) {
      const port = await masterPort()
      let behind = 0
      for (const place of await places(topic))
        behind += (await offset(port, 30, place)) - (await offset(port, 14, { ...place, consumerGroup }))
      return behind
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

/** One connection for each question: slow, and nothing that could be mistaken about. */
async function ask(port: number, code: number, fields: Fields = {}, body: Buffer = Buffer.alloc(0)): Promise<Answer> {
  const extFields = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  const header = Buffer.from(JSON.stringify({ code, language: 'OTHER', version: 0, opaque: 1, flag: 0, extFields }))
  const lengths = Buffer.alloc(8)
  lengths.writeInt32BE(4 + header.length + body.length, 0)
  lengths.writeInt32BE(header.length, 4)
  const socket = connect(port, '127.0.0.1')
  try {
    socket.write(Buffer.concat([lengths, header, body]))
    let bytes = Buffer.alloc(0)
    while (bytes.length < 8 || bytes.length < 4 + bytes.readInt32BE(0)) {
      const [more] = (await once(socket, 'data')) as [Buffer]
      bytes = Buffer.concat([bytes, more])
    }
    const end = 8 + (bytes.readInt32BE(4) & 0xff_ff_ff)
    return { ...JSON.parse(bytes.toString('utf8', 8, end)), body: bytes.subarray(end) }
  } finally {
    socket.destroy()
  }
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
    found.push({ body: Buffer.from(body), properties: Object.fromEntries(pairs.map((pair) => pair.split('\u0001'))) })
  }
  return found
}
