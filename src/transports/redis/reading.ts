import type { Buffer } from 'node:buffer'
import { hasCode } from '../../core/errors.ts'
import type { Answer, Connection } from './connection.ts'
import { type ChannelKeys, keyList } from './keys.ts'
import { rejoin } from './look-scripts.ts'
import { park } from './scripts.ts'

export type FreshEntry = readonly [id: Buffer, fields: readonly Buffer[]]

/** What nobody has had before, and is due. */
export interface Fresh {
  readonly entries: readonly FreshEntry[]
  /** Whether there was anything that waits for its time. */
  readonly hasParked: boolean
  /** In how many milliseconds something is due again; not above zero where it is already. */
  readonly dueIn: number
}

export type Reading = (consumer: string, max: number) => Promise<Fresh>

type Read = readonly [readonly [stream: Buffer, entries: readonly FreshEntry[]]]

/** Bodies that one read brings into memory, as far as those before tell. */
const readBytes = 32 * 1024 * 1024
const fewest = 4
const most = 1000

/**
 * A plain read: what it brings is pending to its consumer from then on, whose name says for how long, so nothing else has to be written. The
 * same breath asks when something is due again.
 */
export function createReading({ ask, run }: Connection, group: string, keys: ChannelKeys): Reading {
  /** How many may come at once: first few, and more as long as they are small. Nobody knows how large the next ones are. */
  let allowed = fewest

  function learn(entries: readonly FreshEntry[]): void {
    if (entries.length === 0) return
    let largest = 1
    for (const [, fields] of entries) largest = Math.max(largest, bytesIn(fields))
    allowed = Math.max(1, Math.min(allowed * 4, most, Math.floor(readBytes / largest)))
  }

  /** What was delayed when it was sent stands among the others. Without any times there is none. */
  async function withoutEarly(consumer: string, entries: readonly FreshEntry[]): Promise<readonly FreshEntry[]> {
    const early = (await run(park, keyList(keys), [group, consumer, ...entries.map(([id]) => id)])) as readonly Answer[]
    return entries.filter((_, index) => early[index] !== 1)
  }

  return async (consumer, max) => {
    const reading = ['GROUP', group, consumer, 'COUNT', Math.min(max, allowed), 'STREAMS', keys.stream, '>']
    const [isNew, read, soonest, time] = await Promise.all([
      ask('XGROUP', 'CREATECONSUMER', keys.stream, group, consumer).catch(unlessFull),
      ask('XREADGROUP', ...reading),
      ask('ZRANGEBYSCORE', keys.times, '-inf', '+inf', 'WITHSCORES', 'LIMIT', 0, 1),
      ask('TIME'),
    ])
    if (isNew === 1) await run(rejoin, [keys.stream, keys.joined], [group, consumer])
    const [, due] = soonest as readonly Answer[]
    const entries = (read as Read | null)?.[0][1] ?? []
    learn(entries)
    if (due === undefined || entries.length === 0) return { entries, hasParked: false, dueIn: dueIn(due, time) }
    const ready = await withoutEarly(consumer, entries)
    return { entries: ready, hasParked: ready.length < entries.length, dueIn: dueIn(due, time) }
  }
}

function bytesIn(fields: readonly Buffer[]): number {
  let bytes = 0
  for (const { byteLength } of fields) bytes += byteLength
  return bytes
}

/** A server without memory refuses that, and gives what it has all the same: what it gave must not be lost for want of this answer. */
function unlessFull(error: unknown): null {
  if (hasCode(error, 'refused') && error.message.includes('OOM')) return null
  throw error
}

function dueIn(due: Answer | undefined, time: Answer): number {
  const [seconds, micros] = time as readonly Answer[]
  return due === undefined ? Number.POSITIVE_INFINITY : Number(due) - (Number(seconds) * 1000 + Number(micros) / 1000)
}
