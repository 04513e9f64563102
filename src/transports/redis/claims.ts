import type { Claim, Claimed } from '../leases/protocol.ts'
import { again as againScript } from './again-script.ts'
import type { Answer, Connection } from './connection.ts'
import { type Entries, type Entry, timeOf } from './entries.ts'
import { type StoredEntry, storedIn } from './entry.ts'
import { keyList, keysOf } from './keys.ts'
import type { Settings } from './options.ts'
import { createReading, type Reading } from './reading.ts'

/** Hands out what is due again by a script, and what nobody has had by a plain read: so its bodies need not pass through Lua. */
export interface Claims {
  claim(channel: string, consumer: string, request: Claim): Promise<Claimed>
  /** Something there may be due again. */
  lookAgain(channel: string): void
}

/** Bodies that come back in one claim at most, unless a single one is larger. */
const claimedBytes = 32 * 1024 * 1024
/** How often it is looked for what others have left behind, when nothing says that anything is due. Milliseconds. */
const lookEvery = 1000

/** A message as it is handed out. */
type Given = readonly [id: Buffer, deliveries: number, turns: number, replaced: Answer, fields: Answer]
type AgainAnswer = readonly [suspect: number, withheld: number, nextIn: number, given: readonly Given[]]

interface Place {
  readonly keys: readonly string[]
  readonly read: Reading
  /** When it is to be looked for what is due again before anything is read, on our clock. */
  lookAt: number
}

/** What a claim brings, while it is being read: entry by entry, since one is made for every message. */
interface Columns {
  readonly ids: number[]
  readonly positions: string[]
  readonly deliveries: number[]
  readonly turns: number[]
  readonly sentAt: number[]
  readonly lanes: null[]
  readonly stored: StoredEntry[]
}

function emptyColumns(): Columns {
  return { ids: [], positions: [], deliveries: [], turns: [], sentAt: [], lanes: [], stored: [] }
}

export function createClaims(connection: Connection, { clock, prefix, group }: Settings, entries: Entries): Claims {
  const places = new Map<string, Place>()

  function placeOf(channel: string): Place {
    const known = places.get(channel)
    if (known) return known
    const keys = keysOf(prefix, channel)
    const place = { keys: [...keyList(keys), keys.joined], read: createReading(connection, group, keys), lookAt: 0 }
    places.set(channel, place)
    return place
  }

  async function again(channel: string, consumer: string, { max, suspects }: Claim): Promise<Claimed> {
    const place = placeOf(channel)
    const flags = [Number(suspects !== 'withhold'), Number(suspects === 'alone')]
    const answer = await connection.run(againScript, place.keys, [group, consumer, max, ...flags, claimedBytes])
    const [suspect, withheld, nextIn, given] = answer as AgainAnswer
    const nextAt = nextIn < 0 ? null : clock.now() + nextIn
    const isDone = given.length === 0 && withheld === 0
    place.lookAt = isDone ? Math.min(nextAt ?? Number.POSITIVE_INFINITY, clock.now() + lookEvery) : 0
    const columns = emptyColumns()
    const to = { channel, holder: consumer }
    for (const [id, deliveries, turns, replaced, fields] of given)
      put(columns, to, id, storedIn(fields, replaced), deliveries, turns)
    return { ...columns, suspect: suspect === 1, withheld: withheld === 1, nextAt }
  }

  /** Nothing where nobody has sent anything. */
  async function fresh(channel: string, consumer: string, { max }: Claim): Promise<Claimed> {
    const place = placeOf(channel)
    const read = await place.read(consumer, max)
    place.lookAt = Math.min(place.lookAt, clock.now() + read.dueIn)
    const columns = emptyColumns()
    const to = { channel, holder: consumer }
    for (const [id, fields] of read.entries) put(columns, to, id, storedIn(fields, null), 1, 0)
    const nextAt = read.hasParked ? clock.now() : null
    return { ...columns, suspect: false, withheld: false, nextAt }
  }

  function put(
    columns: Columns,
    to: Pick<Entry, 'channel' | 'holder'>,
    bytes: Buffer,
    stored: StoredEntry,
    deliveries: number,
    turns: number,
  ): void {
    const id = bytes.toString('latin1')
    columns.ids.push(entries.numberOf({ channel: to.channel, id, holder: to.holder, hasOwnBody: stored.isOurs }))
    columns.positions.push(id)
    columns.deliveries.push(deliveries)
    columns.turns.push(turns)
    columns.sentAt.push(timeOf(id))
    columns.lanes.push(null)
    columns.stored.push(stored)
  }

  return {
    async claim(channel, consumer, request) {
      const isTimeToLook = placeOf(channel).lookAt <= clock.now()
      const found = isTimeToLook ? await again(channel, consumer, request) : undefined
      if (found && (found.withheld || found.stored.length > 0)) return found
      const read = await fresh(channel, consumer, request)
      if (read.stored.length > 0 || read.nextAt !== null) return read
      return found ?? again(channel, consumer, request)
    },
    lookAgain(channel) {
      placeOf(channel).lookAt = 0
    },
  }
}
