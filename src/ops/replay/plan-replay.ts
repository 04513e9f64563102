import type { Canary } from '../../core/canary.ts'
import { RedriveError } from '../../core/errors.ts'
import type { Letter } from '../../vault/operations/letters.ts'
import type { KnownSource } from '../../vault/operations/sources.ts'
import type { Destination, PlannedLetter, ReplayPlan } from '../../vault/replay-rows.ts'

export interface Wishes {
  /** Letters a second. */
  readonly rate: number
  readonly canary: Canary | undefined
  readonly observe: number
  /** Everything goes here, instead of to where it died. */
  readonly destination?: Destination
}

export interface Refusal {
  readonly letter: number
  readonly because: 'not-open' | 'no-origin'
}

export interface Preview {
  readonly plan: ReplayPlan
  readonly letters: readonly PlannedLetter[]
  readonly refusals: readonly Refusal[]
  readonly destinations: readonly { readonly destination: Destination; readonly letters: number }[]
}

/**
 * What a replay of these letters would do. Oldest first, so that letters of one key go in the order in which they failed. A letter goes back
 * to the consumer that gave it up, on the connection that it was found on, unless somebody says where else.
 */
export function planReplay(found: readonly Letter[], sources: readonly KnownSource[], wishes: Wishes): Preview {
  const letters: PlannedLetter[] = []
  const refusals: Refusal[] = []
  for (const letter of found.toSorted((one, other) => one.failedAt - other.failedAt || one.id - other.id)) {
    const destination = wishes.destination ?? originOf(letter, sources)
    if (letter.state !== 'open') refusals.push({ letter: letter.id, because: 'not-open' })
    else if (!destination) refusals.push({ letter: letter.id, because: 'no-origin' })
    else letters.push({ letter: letter.id, destination })
  }
  const { rate, canary, observe } = checked(wishes)
  return { plan: { rate, canary: canary ?? null, observe }, letters, refusals, destinations: countedDestinations(letters) }
}

/**
 * A letter whose origin nobody wrote down would go back to the dead-letter channel that it was found in. Only our own runtime says `group` in
 * the broker's sense; others write the name of an endpoint or a class there.
 */
function originOf({ source, channel, originGroup, letter }: Letter, sources: readonly KnownSource[]): Destination | undefined {
  const known = sources.find(({ id }) => id === source)
  if (!known || known.channel === channel) return undefined
  return { connection: known.connection, channel, ...(originGroup !== null && letter !== null && { group: originGroup }) }
}

function checked(wishes: Wishes): Wishes {
  const { rate, canary } = wishes
  if (!(rate > 0)) throw new RedriveError('bad-option', `rate is ${rate}; a replay needs a number of letters a second above 0.`)
  if (canary && !(canary.first >= 1 && canary.growth > 1 && canary.tolerated >= 0 && canary.tolerated <= 1)) {
    throw new RedriveError(
      'bad-option',
      'canary needs a first step of at least 1, growth above 1 and a tolerated share from 0 to 1.',
    )
  }
  return wishes
}

function countedDestinations(letters: readonly PlannedLetter[]): Preview['destinations'] {
  const counted = new Map<string, { readonly destination: Destination; letters: number }>()
  for (const { destination } of letters) {
    const key = JSON.stringify(destination)
    const entry = counted.get(key) ?? { destination, letters: 0 }
    entry.letters++
    counted.set(key, entry)
  }
  return [...counted.values()]
}
