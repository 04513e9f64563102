import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { LetterDetail, LetterPage, Letters, Selection } from '../ops/control-plane.ts'
import { and } from '../vault/condition.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Vault } from '../vault/vault.ts'
import type { RefusePeeking } from './filter-rights.ts'
import type { Principal } from './principal.ts'

type LetterQuery = Parameters<Letters['find']>[0]

/** Keeps everybody to the letters of the sources that they were given. */
export interface Sight {
  /** `undefined` for whoever sees all. */
  sources(principal: Principal): Promise<ReadonlySet<number> | undefined>
  letter(principal: Principal, id: number): Promise<LetterDetail>
  find(principal: Principal, query: LetterQuery): Promise<LetterPage>
  /** How many a filter means now, counted up to a bound; what comes later has no smaller id than `before`. */
  count(principal: Principal, filter: string): Promise<CountedByFilter>
  /** What may be done to: one letter of another source refuses all of them; a filter means those that one sees. */
  selection(principal: Principal, selection: Selection): Promise<Selection>
  /** What keeps a list of causes to those that have letters of theirs. */
  within(principal: Principal): Promise<{ readonly sources?: readonly number[] }>
  /** A question about what they may not see is refused. */
  readonly refusePeeking: RefusePeeking
  /** Whether one of its letters is theirs. */
  seesCause(principal: Principal, fingerprint: string): Promise<boolean>
  /** For what concerns all sources: it cannot be shown in parts. */
  requireAll(principal: Principal, what: string): void
}

interface CountedByFilter {
  readonly letters: number
  readonly isAtLeast: boolean
  readonly before: number
}

/** Beyond that, what a person is told is "at least". */
const mostCounted = 100_000

/** A filter takes so many values. */
const idsAtOnce = 50

export function createSight(letters: Letters, vault: Vault, clock: Clock, refusePeeking: RefusePeeking): Sight {
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
    return letters.find({ ...query, ...(await within(principal)) })
  }

  /** So that a page is as long for them as for anybody else. */
  async function within(principal: Principal): Promise<{ sources?: readonly number[] }> {
    const visible = await sources(principal)
    return visible ? { sources: [...visible] } : {}
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
    within,
    refusePeeking,
    async count(principal, filter) {
      refusePeeking(principal, filter)
      const theirs = await within(principal)
      const condition = conditionOf(filter, clock.now())
      const [newest] = await vault.read('findLetters', { condition, limit: 1, ...theirs })
      const before = (newest?.id ?? 0) + 1
      // The plus keeps the order of ids out: the index that leads to few letters leads to them here, too.
      const known = and(condition, '+letters.id < ?', [before])
      const { letters: found } = await vault.read('countLetters', { condition: known, most: mostCounted + 1, ...theirs })
      return { letters: Math.min(found, mostCounted), isAtLeast: found > mostCounted, before }
    },
    async selection(principal, selection) {
      if ('filter' in selection) refusePeeking(principal, selection.filter)
      if (principal.seesAll) return selection
      if ('filter' in selection) return { ...selection, ...(await within(principal)) }
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
