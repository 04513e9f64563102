import { RedriveError } from '../core/errors.ts'
import type { ControlPlane, LetterDetail, LetterPage, Selection } from '../ops/control-plane.ts'
import type { Principal } from './principal.ts'

/** Keeps everybody to the letters of the sources that they were given. */
export interface Sight {
  /** `undefined` for whoever sees all. */
  sources(principal: Principal): Promise<ReadonlySet<number> | undefined>
  letter(principal: Principal, id: number): Promise<LetterDetail>
  find(principal: Principal, query: { filter?: string; limit: number; before?: number }): Promise<LetterPage>
  /** What may be done to: one letter of another source refuses all of them; a filter means those that one sees. */
  selection(principal: Principal, selection: Selection): Promise<Selection>
  /** For what concerns all sources: it cannot be shown in parts. */
  requireAll(principal: Principal, what: string): void
}

/** Pages that are looked through for one answer, so that a page with nothing to see for somebody does not end in a scan of everything. */
const mostPages = 10
const pageSize = 500
/** Letters that somebody of few sources may select by a filter at once: each of them has been looked at. */
const mostSelected = 10_000

export function createSight(controlPlane: ControlPlane): Sight {
  const { letters } = controlPlane

  async function sources(principal: Principal): Promise<ReadonlySet<number> | undefined> {
    if (principal.seesAll) return undefined
    const known = await controlPlane.sources()
    return new Set(known.filter(({ source }) => principal.sees(source)).map(({ source }) => source.id))
  }

  async function letter(principal: Principal, id: number): Promise<LetterDetail> {
    const detail = await letters.show(id)
    if (!principal.seesAll && !principal.sees(detail.source)) {
      throw new RedriveError('not-allowed', `Letter ${id} belongs to a source that you were not given.`)
    }
    return detail
  }

  async function find(principal: Principal, query: { filter?: string; limit: number; before?: number }): Promise<LetterPage> {
    const visible = await sources(principal)
    if (!visible) return letters.find(query)
    const { limit, ...rest } = query
    const found: LetterPage['letters'][number][] = []
    let before = query.before
    for (let page = 0; page < mostPages; page++) {
      const { letters: all, next } = await letters.find({ ...rest, limit: pageSize, ...(before !== undefined && { before }) })
      for (const candidate of all) {
        if (!visible.has(candidate.source)) continue
        found.push(candidate)
        if (found.length === limit) return { letters: found, next: candidate.id }
      }
      if (next === undefined) return { letters: found }
      before = next
    }
    return before === undefined ? { letters: found } : { letters: found, next: before }
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

  return {
    sources,
    letter,
    find,
    async selection(principal, selection) {
      if (principal.seesAll) return selection
      if ('filter' in selection) return { letters: await selectedBy(principal, selection.filter) }
      for (const id of selection.letters) await letter(principal, id)
      return selection
    },
    requireAll(principal, what) {
      if (principal.seesAll) return
      throw new RedriveError('not-allowed', `${what} concerns all sources, and you were given some of them.`)
    },
  }
}
