import type { Clock } from '../../core/ports.ts'
import type { Letter } from '../../vault/operations/letters.ts'
import type { Vault } from '../../vault/vault.ts'
import type { ReplayDetail, Replays, Selection } from '../control-plane.ts'
import { lettersOf } from '../selection.ts'
import { type Preview, planReplay, type Wishes } from './plan-replay.ts'
import type { Runner } from './runner.ts'

export function replaysIn(vault: Vault, clock: Clock, runner: Runner, changed: (detail: ReplayDetail) => void): Replays {
  async function preview(selection: Selection, wishes: Wishes): Promise<Preview> {
    const found: Letter[] = []
    for await (const letters of lettersOf(selection, vault, clock)) found.push(...letters)
    return planReplay(found, await vault.read('listSources', undefined), wishes)
  }

  async function show(id: number): Promise<ReplayDetail> {
    const [replay, counts] = [await vault.read('showReplay', { replay: id }), await vault.read('countLedger', { replay: id })]
    return { replay, counts }
  }

  async function told(id: number): Promise<ReplayDetail> {
    const detail = await show(id)
    changed(detail)
    return detail
  }

  return {
    preview,
    async seal(selection, wishes) {
      const { plan, letters } = await preview(selection, wishes)
      const planned = letters.map((line) => {
        const edit = wishes.edits?.get(line.letter)
        return edit === undefined ? line : { ...line, edit }
      })
      for (const { letter, edit } of planned) if (edit !== undefined) await vault.read('readEdit', { letter, edit })
      const { name, actor } = wishes
      const { id } = await vault.write('sealReplay', { name, actor, now: clock.now(), plan, letters: planned })
      return told(id)
    },
    async start(id) {
      await vault.write('startReplay', { replay: id, now: clock.now() })
      runner.run(id)
      return told(id)
    },
    async pause(id) {
      await vault.write('pauseReplay', { replay: id, now: clock.now() })
      runner.wake(id)
      return told(id)
    },
    async resume(id) {
      await vault.write('resumeReplay', { replay: id, now: clock.now() })
      runner.run(id)
      return told(id)
    },
    async cancel(id) {
      await vault.write('cancelReplay', { replay: id, now: clock.now() })
      runner.wake(id)
      return told(id)
    },
    show,
    list: (query) => vault.read('listReplays', query),
    ledger: (query) => vault.read('readLedger', query),
    decideUnknown: (letters, verdict) => vault.write('decideUnknown', { letters, verdict, now: clock.now() }),
  }
}
