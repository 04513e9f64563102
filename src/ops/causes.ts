import type { Clock } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'
import type { Causes } from './control-plane.ts'
import { checkedNote } from './letters.ts'

const week = 7 * 24 * 3_600_000

export function causesIn(vault: Vault, clock: Clock, changed: (cause: number) => void): Causes {
  return {
    async list({ state, limit, after }) {
      const causes = await vault.read('listCauses', { limit: limit + 1, ...(state && { state }), ...(after && { after }) })
      const shown = causes.slice(0, limit)
      const last = shown.at(-1)
      return { causes: shown, ...(causes.length > limit && last && { next: { lastAt: last.lastAt, id: last.id } }) }
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
