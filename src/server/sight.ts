import { RedriveError } from '../core/errors.ts'
import type { LetterDetail, LetterPage, Letters, Selection } from '../ops/control-plane.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { Vault } from '../vault/vault.ts'
import { refusePeeking } from './filter-rights.ts'
import type { Principal } from './principal.ts'

type LetterQuery = Parameters<Letters['find']>[0]

/** Keeps everybody to the letters of the sources that they were given. */
export interface Sight {
  /** `undefined` for whoever sees all. */
  sources(principal: Principal): Promise<ReadonlySet<number> | undefined>
  letter(principal: Principal, id: number): Promise<LetterDetail>
  find(principal: Principal, query: LetterQuery): Promise<LetterPage>
  /** What may be done to: one letter of another source refuses all of them; a filter means those that one sees. */
  selection(principal: Principal, selection: Selection): Promise<Selection>
  /** Whether one of its letters is theirs, as far as can be told by looking at the newest ones. */
  seesCause(principal: Principal, fingerprint: string): Promise<boolean>
  /** For what concerns all sources: it cannot be shown in parts. */
  requireAll(principal: Principal, what: string): void
}

/** Pages that are looked through for one answer, so that a page with nothing to see for somebody does not end in a scan of everything. */
const mostPages = 10
const pageSize = 500
/** Letters that somebody of few sources may select by a filter at once: each of them has been looked at. */
const mostSelected = 10_000

/** A filter takes so many values. */
const idsAtOnce = 50

export function createSight(letters: Letters, vault: Vault): Sight {
  async function sources(principal: Principal): Promise<ReadonlySet<number> | undefined> {
    if (principal.seesAll) return undefined
    const known = await vault.read('listSources', undefined)
    return new Set(known.filter((source) => principal.sees(source)).map(({ id }) => id))
  }

  async function letter(principal: Principal, id: number): Promise<LetterDetail> {
    const detail = await letters.show(id)
    if (!principal.seesAll && !principal.sees(detail.source)) throw notTheirs(id)
    return detail
  }

  async function find(principal: Principal, query: LetterQuery): Promise<LetterPage> {
    refusePeeking(principal, query.filter)
    const visible = await sources(principal)
    return visible ? findOf(visible, query) : letters.find(query)
  }

  /** Looks through pages of all letters for those of these sources. What it returns may be fewer than asked for, with more to come. */
  async function findOf(visible: ReadonlySet<number>, { limit, ...query }: LetterQuery): Promise<LetterPage> {
    const found: Letter[] = []
    let place: Pick<LetterQuery, 'before'> = query
    for (let page = 0; page < mostPages; page++) {
      const { letters: all, next } = await letters.find({ ...query, ...place, limit: pageSize })
      found.push(...all.filter(({ source }) => visible.has(source)))
      const last = found[limit - 1]
      if (last && (found.length > limit || next !== undefined)) return { letters: found.slice(0, limit), next: last.id }
      if (next === undefined) return { letters: found }
      place = { before: next }
    }
    return { letters: found, ...(place.before !== undefined && { next: place.before }) }
  }

  async function selectedBy(principal: Principal, filter: string): Promise<readonly number[]> {
    const ids: number[] = []
    let before: number | undefined
    do {
      const page = await find(principal, { filter, limit: pageSize, ...(before !== undefined && { before }) })
      ids.push(...page.letters.map(({ id }) => id))
      if (ids.length > mostSelected) {
        throw new RedriveError('bad-request', `This filter selects more than ${mostSelected} letters of your sources. Narrow it.`)
      }
      before = page.next
    } while (before !== undefined)
    return ids
  }

  /** Letters that are not there belong to nobody, and nothing can be done to them. */
  async function refuseForeign(principal: Principal, ids: readonly number[]): Promise<void> {
    const visible = await sources(principal)
    for (let start = 0; start < ids.length; start += idsAtOnce) {
      const filter = `id:${ids.slice(start, start + idsAtOnce).join()}`
      const { letters: found } = await letters.find({ filter, limit: idsAtOnce })
      const foreign = found.find(({ source }) => !visible?.has(source))
      if (foreign) throw notTheirs(foreign.id)
    }
  }

  return {
    sources,
    letter,
    find,
    async selection(principal, selection) {
      if ('filter' in selection) refusePeeking(principal, selection.filter)
      if (principal.seesAll) return selection
      if ('filter' in selection) return { letters: await selectedBy(principal, selection.filter) }
      await refuseForeign(principal, selection.letters)
      return selection
    },
    async seesCause(principal, fingerprint) {
      if (principal.seesAll) return true
      return (await find(principal, { filter: `cause:${fingerprint}`, limit: 1 })).letters.length > 0
    },
    requireAll(principal, what) {
      if (principal.seesAll) return
      throw new RedriveError('not-allowed', `${what} concerns all sources, and you were given some of them.`)
    },
  }
}

function notTheirs(letter: number): RedriveError {
  return new RedriveError('not-allowed', `Letter ${letter} belongs to a source that you were not given.`)
}
