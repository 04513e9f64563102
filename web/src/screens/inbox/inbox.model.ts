import { type Cause, type CauseState, causeStates } from '../../api/causes.ts'
import { many } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'

export const sorts = ['newest', 'most letters', 'oldest'] as const
export type Sort = (typeof sorts)[number]

/** What the inbox shows, as it stands in the address. */
export interface InboxView {
  /** Absent: of every state. */
  readonly state: CauseState | undefined
  readonly sort: Sort
  /** Only causes with letters that match, in the language of filters. */
  readonly filter: string
}

export function viewOf(search: string): InboxView {
  const query = new URLSearchParams(search)
  const state = query.get('state') ?? 'open'
  return {
    state: causeStates.find((each) => each === state),
    sort: sorts.find((each) => each === query.get('sort')) ?? 'newest',
    filter: query.get('filter') ?? '',
  }
}

export function searchOf({ state, sort, filter }: InboxView): string {
  const query = new URLSearchParams()
  if (state !== 'open') query.set('state', state ?? 'all')
  if (sort !== 'newest') query.set('sort', sort)
  if (filter !== '') query.set('filter', filter)
  return query.toString()
}

/** The letters of a cause that are meant: all that ask for attention, or those that match. */
export function lettersOf({ matching, unresolved }: Pick<Cause, 'matching' | 'unresolved'>): number {
  return matching ?? unresolved
}

const orders: Readonly<Record<Sort, (one: Cause, other: Cause) => number>> = {
  newest: (one, other) => other.lastAt - one.lastAt,
  'most letters': (one, other) => lettersOf(other) - lettersOf(one),
  oldest: (one, other) => one.firstAt - other.firstAt,
}

export function sortedCauses(causes: readonly Cause[], sort: Sort): readonly Cause[] {
  return causes.toSorted((one, other) => orders[sort](one, other) || other.id - one.id)
}

/** A filter takes 64 terms, and some are needed for the rest of it. */
const mostCausesInFilter = 40

/** The open letters that a filter means. */
export function openLetters(filter: string): string {
  return filter === '' ? 'state:open' : `state:open (${filter})`
}

/** Of these, the letters of some causes. */
export function filterOfCauses(causes: readonly Pick<Cause, 'id'>[], filter = ''): string {
  return `state:open under:${causes.map(({ id }) => id).join()}${filter === '' ? '' : ` (${filter})`}`
}

/** What is meant by an action: the causes that were selected, or all letters that match. */
export interface Meant {
  readonly isAll: boolean
  readonly causes: number
  readonly letters: number
}

/** Why something cannot be done to what is meant, whoever wants to. */
export function reasonsAgainst({ isAll, causes, letters }: Meant): {
  readonly judging: string | undefined
  readonly replaying: string | undefined
} {
  if (isAll)
    return {
      judging: 'Causes are judged as such: select them, instead of letters.',
      replaying: letters === 0 ? 'No letter that matches is open.' : undefined,
    }
  if (causes === 0) {
    const nothing = 'Select causes first (x), or move to one (j, k).'
    return { judging: nothing, replaying: nothing }
  }
  if (causes > mostCausesInFilter)
    return { judging: undefined, replaying: `At most ${mostCausesInFilter} causes go into one replay.` }
  return { judging: undefined, replaying: letters === 0 ? 'None of their letters is open.' : undefined }
}

export interface Judged {
  readonly causes: readonly Pick<Cause, 'id' | 'title'>[]
  readonly state: CauseState
}

/** What was done, and to what: whoever meant another cause sees it here. */
export function judgedText({ causes, state }: Judged): string {
  const done = state === 'open' ? 'Open again' : `${state.slice(0, 1).toUpperCase()}${state.slice(1)}`
  const [only] = causes
  return `${done}: ${causes.length === 1 && only ? seen(only.title) : many(causes.length, 'cause')}`
}
