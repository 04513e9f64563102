import { type Scopes, within } from '../../core/scopes.ts'
import type { Destination } from '../replay-rows.ts'
import type { Sql } from '../sql.ts'

/** Somebody who was given some sources, and who therefore has to do with their own replays alone. */
export interface Maker {
  readonly actor: string
  readonly scopes: Scopes
  /** By source, where letters go that do not say where they came from: an operator wrote that for them. */
  readonly routes: ReadonlyMap<number, Destination>
}

interface Way {
  readonly source: number
  readonly connection: string
  readonly deadLetter: string
  readonly channel: string
  readonly destination: string
}

/**
 * Whether all letters of a replay are of sources that its maker has now, and go back to where they died or to where the maker may send them. A name is not
 * enough: it is that of all tokens of a person, and a person may have been given less since. Letters that were purged are of no source any more.
 */
export async function isWithinReach(sql: Sql, replay: number, { scopes, routes }: Maker): Promise<boolean> {
  const isGiven = within(scopes)
  const ways = await sql.all<Way>(
    `SELECT DISTINCT letters.source, sources.connection, sources.channel AS "deadLetter", letters.channel, ledger.destination
     FROM replay_letters AS ledger JOIN letters ON letters.id = ledger.letter JOIN sources ON sources.id = letters.source
     WHERE ledger.replay = ?`,
    replay,
  )
  return ways.every((way) => {
    if (!isGiven({ connection: way.connection, channel: way.deadLetter })) return false
    const destination = JSON.parse(way.destination) as Destination
    // Of an exchange nobody knows whom it reaches.
    if (destination.via) return false
    return isGiven(destination) || isHome(destination, way) || isSame(destination, routes.get(way.source))
  })
}

function isHome(destination: Destination, { connection, channel }: Way): boolean {
  return isSame(destination, { connection, channel })
}

function isSame(one: Destination, other: Destination | undefined): boolean {
  return one.connection === other?.connection && one.channel === other.channel
}
