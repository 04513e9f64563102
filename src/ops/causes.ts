import type { Clock } from '../core/ports.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Vault } from '../vault/vault.ts'
import type { Causes } from './control-plane.ts'
import { checkedNote } from './letters.ts'

const week = 7 * 24 * 3_600_000
/** Letters that a filter finds are looked at up to so many, to learn of which causes they are. */
const mostLookedAt = 100_000
const mostCauses = 5000

export function causesIn(vault: Vault, clock: Clock, changed: (cause: number) => void): Causes {
  /** How many letters of which causes match. */
  async function matching(filter: string, sources: readonly number[] | undefined) {
    const condition = conditionOf(filter, clock.now())
    const counts = await vault.read('countByCause', { condition, most: mostLookedAt, ...(sources && { sources }) })
    const letters = new Map(counts.slice(0, mostCauses).map(({ cause, letters: count }) => [cause, count]))
    const looked = counts.reduce((sum, each) => sum + each.letters, 0)
    return { letters, isPartial: looked === mostLookedAt || counts.length > mostCauses }
  }

  return {
    async list({ limit, filter, ...which }) {
      const found = filter === undefined ? undefined : await matching(filter, which.sources)
      const ids = found && { ids: [...found.letters.keys()] }
      const causes = await vault.read('listCauses', { limit: limit + 1, ...which, ...ids })
      const shown = causes.slice(0, limit)
      const last = shown.at(-1)
      return {
        causes: found ? shown.map((cause) => ({ ...cause, matching: found.letters.get(cause.id) ?? 0 })) : shown,
        ...(causes.length > limit && last && { next: { lastAt: last.lastAt, id: last.id } }),
        ...(found && { isPartial: found.isPartial }),
      }
    },
    async show(id) {
      const cause = await vault.read('showCause', { id })
      const [notes, history] = await Promise.all([
        vault.read('listNotes', { about: 'cause', subject: id }),
        vault.read('causeHistory', { id, since: clock.now() - week }),
      ])
      return { cause, notes, history }
    },
    async judge(id, { state, fixedIn }) {
      const judged = await vault.write('judgeCause', { id, state, now: clock.now(), ...(fixedIn !== undefined && { fixedIn }) })
      changed(id)
      return judged
    },
    async own(id, { owner }) {
      const owned = await vault.write('ownCause', { id, owner })
      changed(id)
      return owned
    },
    async note(id, text, { actor }) {
      await vault.read('showCause', { id })
      await vault.write('addNote', { about: 'cause', subject: id, now: clock.now(), actor, text: checkedNote(text) })
      changed(id)
    },
  }
}
