import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import { present } from '../core/present.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Vault } from '../vault/vault.ts'
import type { CauseDetail, Causes } from './control-plane.ts'
import { checkedNote } from './letters.ts'
import type { CauseSettler } from './settle-causes.ts'

const week = 7 * 24 * 3_600_000
/** Letters that a filter finds are looked at up to so many, to learn of which causes they are. */
const mostLookedAt = 100_000
const mostCauses = 5000

export function causesIn(
  vault: Vault,
  clock: Clock,
  changed: (cause: number) => void,
  settler: Pick<CauseSettler, 'settle'>,
): Causes {
  /** How many letters of which causes match. */
  async function matching(filter: string, sources: readonly number[] | undefined) {
    const condition = conditionOf(filter, clock.now())
    const counts = await vault.read('countByCause', { condition, most: mostLookedAt, ...(sources && { sources }) })
    const letters = new Map(counts.slice(0, mostCauses).map(({ cause, letters: count }) => [cause, count]))
    const looked = counts.reduce((sum, each) => sum + each.letters, 0)
    return { letters, isPartial: looked === mostLookedAt || counts.length > mostCauses }
  }

  async function show(id: number): Promise<CauseDetail> {
    const cause = await vault.read('showCause', { id })
    const [notes, members, decisions, history] = await Promise.all([
      vault.read('causeNotes', { cause: id }),
      vault.read('causeMembers', { cause: id }),
      vault.read('decisionsAbout', { cause: id }),
      vault.read('causeHistory', { id, since: clock.now() - week }),
    ])
    return { cause, notes, members, decisions, history }
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
    show,
    async judge(id, { state, fixedIn, seen }) {
      const judged = await vault.write('judgeCause', { id, state, now: clock.now(), ...present({ fixedIn, seen }) })
      changed(id)
      return judged
    },
    async own(id, { owner, seen }) {
      const owned = await vault.write('ownCause', { id, owner, ...present({ seen }) })
      changed(id)
      return owned
    },
    async note(id, text, { actor, seen }) {
      const note = { about: 'cause' as const, subject: id, now: clock.now(), actor, text: checkedNote(text) }
      await vault.write('addNote', { ...note, ...present({ seen }) })
      changed(id)
    },
    async merge(id, { causes, actor, reason, seen }) {
      const said = { actor, reason: checkedReason(reason), now: clock.now() }
      if (causes.length === 0 || causes.length > mostMerged)
        throw new RedriveError('bad-option', `Merge 1 to ${mostMerged} causes at a time.`)
      const { into } = await vault.write('mergeCauses', { into: id, causes, ...said, ...present({ seen }) })
      for (const each of [...causes, into]) changed(each)
      return show(into)
    },
    async split(id, { rule, title, actor, reason, seen }) {
      const said = { actor, reason: checkedReason(reason), now: clock.now() }
      const { cause } = await vault.write('splitCause', { cause: id, rule, ...said, ...present({ title, seen }) })
      settler.settle()
      for (const each of [id, cause]) changed(each)
      return show(cause)
    },
    async undo(decision, { actor, reason }) {
      const said = { actor, reason: checkedReason(reason), now: clock.now() }
      const { kind, cause, target } = await vault.write('undoDecision', { decision, ...said })
      settler.settle()
      for (const each of [cause, target]) changed(each)
      return show(await standsUnder(kind === 'merge' ? target : cause))
    },
    decision: (id) => vault.read('showDecision', { id }),
  }

  async function standsUnder(id: number): Promise<number> {
    return (await vault.read('showCause', { id })).mergedInto ?? id
  }
}

const mostMerged = 100
const longestReason = 500

/** Whoever undoes it one day asks why it was done. */
function checkedReason(reason: string): string {
  if (reason.trim() === '') throw new RedriveError('bad-option', 'Say why: a reason is needed.')
  if (reason.length > longestReason) throw new RedriveError('bad-option', `A reason has at most ${longestReason} characters.`)
  return reason
}
