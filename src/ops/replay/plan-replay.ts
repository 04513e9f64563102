import type { Canary } from '../../core/canary.ts'
import { RedriveError } from '../../core/errors.ts'
import { inOrder } from '../../core/in-order.ts'
import type { Reach } from '../../transports/seam.ts'
import type { PlannedPage, Refusal } from '../../vault/operations/plan-letters.ts'
import type { Destination, PlannedLetter, ReplayPlan } from '../../vault/replay-rows.ts'

export interface Wishes {
  /** Letters a second. */
  readonly rate: number
  readonly canary: Canary | undefined
  readonly observe: number
  /** Everything goes here, instead of to where it died. */
  readonly destination?: Destination
  /** Each by the exchange that it was first published to: whatever is bound there gets it, and not its failed consumer alone. */
  readonly toOrigin?: boolean
}

export interface Preview {
  readonly plan: ReplayPlan
  /** How many would be sent. */
  readonly letters: number
  /** All of them have smaller ids, and all that come later have not. */
  readonly before: number
  /** Those of the most letters, a hundred at most, of so many in all. */
  readonly destinations: readonly PlannedDestination[]
  readonly destinationsInAll: number
  readonly refused: number
  /** The first hundred. */
  readonly refusals: readonly Refusal[]
  /** How many of those that would be sent somebody has edited; whether the newest edit of each goes or the original is said when it is sealed. */
  readonly edited: number
}

export interface PlannedDestination {
  readonly destination: Destination
  readonly letters: number
  /** Who gets what goes by way of an exchange. */
  readonly reach?: Reach
}

/** Plans a replay page by page. The vault has read, judged and ordered each page; what is left is to count, and to take the pages as one. */
export interface ReplayPlanner {
  add(page: PlannedPage): void
  preview(): Preview
  /** By letter, the newest edit of each that has one. */
  newestEdits(): ReadonlyMap<number, number>
  /** Every letter, oldest first, so many at a time; whoever takes them does something else in between. */
  steps(size: number): Generator<readonly PlannedLetter[]>
}

const mostRefusals = 100
const mostDestinations = 100

export function replayPlanner(wishes: Wishes): ReplayPlanner {
  const { rate, canary, observe } = checked(wishes)
  const pages: PlannedPage[] = []
  const counted = new Map<string, { readonly destination: Destination; letters: number }>()
  const refusals: Refusal[] = []
  const edits = new Map<number, number>()
  let [letters, refused, before] = [0, 0, 1]

  function count(destination: Destination, more: number): void {
    const key = JSON.stringify(destination)
    const entry = counted.get(key) ?? { destination, letters: 0 }
    entry.letters += more
    counted.set(key, entry)
  }

  return {
    add(page) {
      pages.push(page)
      letters += page.letters.length
      refused += page.refusals.length
      before = Math.max(before, page.newest + 1)
      for (const { letter, edit } of page.edits) edits.set(letter, edit)
      refusals.push(...page.refusals.slice(0, mostRefusals - refusals.length))
      const perPlace = new Uint32Array(page.destinations.length)
      for (const place of page.places) perPlace[place] = (perPlace[place] ?? 0) + 1
      for (const [place, destination] of page.destinations.entries()) count(destination, perPlace[place] ?? 0)
    },
    preview() {
      const plan = { rate, canary: canary ?? null, observe }
      const destinations = [...counted.values()].sort((one, other) => other.letters - one.letters).slice(0, mostDestinations)
      const where = { destinations, destinationsInAll: counted.size }
      return { plan, letters, before, ...where, refused, refusals, edited: edits.size }
    },
    newestEdits: () => edits,
    *steps(size) {
      let step: PlannedLetter[] = []
      for (const { letter, destination } of inOrder(pages.map(linesOf), isBefore)) {
        step.push({ letter, destination })
        if (step.length < size) continue
        yield step
        step = []
      }
      if (step.length > 0) yield step
    },
  }
}

interface Line extends PlannedLetter {
  readonly failedAt: number
}

function* linesOf({ letters, failedAt, places, destinations }: PlannedPage): Generator<Line> {
  for (const [index, letter] of letters.entries()) {
    const destination = destinations[places[index] ?? 0]
    if (destination) yield { letter, destination, failedAt: failedAt[index] ?? 0 }
  }
}

function isBefore(one: Line, other: Line): boolean {
  return one.failedAt < other.failedAt || (one.failedAt === other.failedAt && one.letter < other.letter)
}

function checked(wishes: Wishes): Wishes {
  const { rate, canary, destination, toOrigin } = wishes
  if (destination && toOrigin) {
    throw new RedriveError('bad-option', 'Letters go to their origin or to one destination: give one of the two.')
  }
  if (!(rate > 0)) throw new RedriveError('bad-option', `rate is ${rate}; a replay needs a number of letters a second above 0.`)
  if (canary && !(canary.first >= 1 && canary.growth > 1 && canary.tolerated >= 0 && canary.tolerated <= 1)) {
    throw new RedriveError(
      'bad-option',
      'canary needs a first step of at least 1, growth above 1 and a tolerated share from 0 to 1.',
    )
  }
  return wishes
}
