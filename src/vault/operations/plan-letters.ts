import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import { firstRoute, type Route } from '../../core/route.ts'
import type { Destination } from '../replay-rows.ts'
import { joinKeys, type KeptContent, keyColumns, openEnvelope } from '../sealing/contents.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { newestEdits } from './edits.ts'
import { findLetters, type LetterQuery } from './find-letters.ts'
import type { Letter } from './letters.ts'

/** What a replay is to do with letters, apart from when. */
export interface PlanTerms {
  readonly homes: readonly Home[]
  /** Everything goes here, instead of to where it died. */
  readonly destination?: Destination
  /** By the exchange that they were first published to, and not straight to the queue that they died in. */
  readonly toOrigin?: boolean
}

/** Where letters of a source come from, and may go back to. */
export interface Home {
  readonly source: number
  readonly connection: string
  /** The dead-letter channel. */
  readonly channel: string
  /** It is the dead-letter part of a channel, whose name it bears. */
  readonly isPart?: boolean
  readonly group?: string
  readonly isConnected: boolean
  /** Whether the broker routes by itself, as far as that is known. */
  readonly hasRoutes: boolean
  /** Where letters go that do not say where they came from. */
  readonly returnTo?: Destination
}

export interface Refusal {
  readonly letter: number
  /**
   * `no-route`: nobody wrote down how it was first published, or its broker has no exchanges. `copy-out-of-reach`: the broker still has a copy,
   * which has to go first, and its connection is not configured any more.
   */
  readonly because: 'not-open' | 'no-origin' | 'no-route' | 'copy-out-of-reach'
}

/** As numbers, so that a million letters are a few megabytes, and travel from thread to thread without being looked at. */
export interface PlannedPage {
  /** Ids, in the order in which they are to be sent. */
  readonly letters: Float64Array
  readonly failedAt: Float64Array
  /** Of each, which of `destinations`. */
  readonly places: Uint16Array
  readonly destinations: readonly Destination[]
  readonly refusals: readonly Refusal[]
  /** Of those to be sent that somebody has edited, the newest edit. */
  readonly edits: readonly { readonly letter: number; readonly edit: number }[]
  /** How many were found, and their greatest and least ids. */
  readonly found: number
  readonly newest: number
  readonly oldest: number
}

/**
 * What a replay would do with a page of letters. Oldest first, so that letters of one key go in the order in which they failed. A letter goes
 * back to the consumer that gave it up, on the connection that it was found on, unless somebody says where else.
 */
export const planLetters: Operation<LetterQuery & { readonly terms: PlanTerms }, PlannedPage> = async (
  sql,
  { terms, ...query },
) => {
  const found = await findLetters(sql, query)
  const routes = terms.toOrigin ? await firstRoutes(sql, found) : noRoutes
  const plan = plannedPage(found, terms, routes)
  const edits = await newestEdits(sql, { letters: [...plan.letters] })
  return { ...plan, edits, found: found.length, newest: found[0]?.id ?? 0, oldest: found.at(-1)?.id ?? 0 }
}

type Plan = Omit<PlannedPage, 'edits' | 'found' | 'newest' | 'oldest'>
type Routes = ReadonlyMap<number, Route>

const noRoutes: Routes = new Map()

/** What was erased tells nothing. */
async function firstRoutes(sql: Sql, letters: readonly Letter[]): Promise<Routes> {
  const { places, values } = listOf(letters.map(({ id }) => id))
  const rows = await sql.all<Omit<KeptContent, 'body'> & { letter: number; bodies: number }>(
    `SELECT contents.letter, contents.envelope, contents.sealed_envelope AS sealed, ${keyColumns},
       CASE WHEN contents.body IS NULL THEN 0 ELSE 1 END AS bodies
     FROM contents ${joinKeys('contents.letter')} WHERE contents.letter IN ${places}`,
    ...values,
  )
  const routes = new Map<number, Route>()
  for (const { letter, bodies, ...kept } of rows) {
    const envelope = openEnvelope(sql, { letter, edit: 0 }, { ...kept, hasBody: bodies > 0 })
    const route = firstRoute(decodeMessage(parseEnvelope(envelope), null))
    if (route) routes.set(letter, route)
  }
  return routes
}

export function plannedPage(letters: readonly Letter[], terms: PlanTerms, routes: Routes = noRoutes): Plan {
  const refusals: Refusal[] = []
  const planned: { readonly letter: Letter; readonly place: number }[] = []
  const { destinations, placeOf } = numberedDestinations()
  for (const letter of letters) {
    const home = terms.homes.find(({ source }) => source === letter.source)
    const via = terms.toOrigin && home?.hasRoutes ? routes.get(letter.id) : undefined
    const origin = terms.destination ?? originOf(letter, home)
    const destination = origin && via ? { ...origin, via } : origin
    const because = refusalOf(letter, home, destination, terms)
    if (because !== undefined || !destination) refusals.push({ letter: letter.id, because: because ?? 'no-origin' })
    else planned.push({ letter, place: placeOf(destination) })
  }
  planned.sort(({ letter: one }, { letter: other }) => one.failedAt - other.failedAt || one.id - other.id)
  return {
    letters: Float64Array.from(planned, ({ letter }) => letter.id),
    failedAt: Float64Array.from(planned, ({ letter }) => letter.failedAt),
    places: Uint16Array.from(planned, ({ place }) => place),
    destinations,
    refusals,
  }
}

function refusalOf(
  { state, broker, position }: Letter,
  home: Home | undefined,
  destination: Destination | undefined,
  { toOrigin }: PlanTerms,
): Refusal['because'] | undefined {
  if (state !== 'open') return 'not-open'
  if (!destination) return 'no-origin'
  if (toOrigin && !destination.via) return 'no-route'
  const hasCopy = broker === 'kept' && position !== null
  return hasCopy && !home?.isConnected ? 'copy-out-of-reach' : undefined
}

/**
 * A letter whose origin nobody wrote down would go back to the dead-letter channel that it was found in, if no route says better. Only our own
 * runtime says `group` in the broker's sense; others write the name of an endpoint or a class there.
 */
function originOf({ channel, originGroup, letter }: Letter, home: Home | undefined): Destination | undefined {
  if (!home) return undefined
  const group = letter === null ? null : originGroup
  if (home.channel === channel && (home.returnTo || !canGoBack(home, group))) return home.returnTo
  return { connection: home.connection, channel, ...(group !== null && { group }) }
}

/** From the dead-letter part of a channel to the channel; where that has groups, only to one that somebody named: else it would reach all of them. */
function canGoBack({ isPart = false, group = '' }: Home, own: string | null): boolean {
  return isPart && (group === '' || own !== null)
}

/** A million letters go to a handful of places. */
function numberedDestinations(): {
  readonly destinations: readonly Destination[]
  readonly placeOf: (destination: Destination) => number
} {
  const destinations: Destination[] = []
  const numbers = new Map<string, number>()
  return {
    destinations,
    placeOf(destination) {
      const key = JSON.stringify(destination)
      const known = numbers.get(key)
      if (known !== undefined) return known
      numbers.set(key, destinations.length)
      return destinations.push(destination) - 1
    },
  }
}
