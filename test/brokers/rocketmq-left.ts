import type { BareClient, Cursor, SeenMessage } from './rocketmq.ts'

/** Hand-outs and acknowledgements wait here until the time of the hand-out is over, and then go on to be compared. */
const timers = 'rmq_sys_wheel_timer'
const revival = 'rmq_sys_REVIVE_LOG_DefaultCluster'
const reviver = 'CID_RMQ_SYS_REVIVE_GROUP'

/** Fields of one record, by the broker's short names for them. */
interface HandOut {
  /** Consumer group, topic, queue, first offset and time. */
  readonly c: string
  readonly t: string
  readonly q: number
  readonly so: number
  readonly pt: number
  /** Of a hand-out: the distance of each message from the first. */
  readonly d?: readonly number[]
  /** Of acknowledgements: one offset, or several. */
  readonly ao?: number
  readonly aol?: readonly number[]
}

/**
 * Tells what a group has not acknowledged of a topic that keeps no order. There its offset moves on when something is given out, and no request
 * tells what is held; but the broker writes every hand-out and every acknowledgement into topics of its own, and those can be read. What was
 * handed out before this call is not known.
 */
export async function leftFor(client: BareClient, topic: string, group: string): Promise<() => Promise<number>> {
  const retries = `%RETRY%${group}_${topic}`
  const cursors: Readonly<Record<string, Cursor>> = {
    [timers]: await client.endOf(timers),
    [revival]: await client.endOf(revival),
  }
  const handedOut = new Map<string, readonly string[]>()
  const acknowledged = new Set<string>()
  /** Hand-outs whose time is over, by where they wait to be compared. */
  const overdue = new Map<string, Pick<SeenMessage, 'queue' | 'offset'>>()

  function note(log: string, { body, properties, queue, offset }: SeenMessage): void {
    const kind = properties['TAGS'] ?? ''
    if (!['ck', 'ack', 'bAck'].includes(kind)) return
    const record = JSON.parse(String(body)) as HandOut
    if (record.c !== group || ![topic, retries].includes(record.t)) return
    const name = `${record.t}@${record.q}@${record.so}@${record.pt}`
    if (kind !== 'ck') for (const at of record.aol ?? [record.ao]) acknowledged.add(`${name}@${at}`)
    else {
      handedOut.set(
        name,
        (record.d ?? [0]).map((distance) => `${name}@${record.so + distance}`),
      )
      if (log === revival) overdue.set(name, { queue, offset })
    }
  }

  /** In this order: what is given out or comes back meanwhile is counted twice, and nothing is counted nowhere. */
  return async () => {
    const revived = await client.doneBy(revival, reviver)
    const waiting = (await client.lag(topic, group)) + (await client.lag(retries, group))
    for (const log of [timers, revival])
      for (const message of await client.readOn(log, cursors[log] ?? new Map())) note(log, message)
    for (const [name, { queue, offset }] of overdue) {
      // The reviver says which was the last, and not which is the next.
      if (offset > (revived.get(queue) ?? -1)) continue
      handedOut.delete(name)
      overdue.delete(name)
    }
    return waiting + [...handedOut.values()].flat().filter((message) => !acknowledged.has(message)).length
  }
}
