import { createChore } from '../core/chore.ts'
import { RedriveError } from '../core/errors.ts'
import type { CollectOptions } from './collect.ts'
import { tryingAgain } from './keep-trying.ts'
import { nameOf, type Source } from './source.ts'

/** Whoever failed so often, one time after the other, has failed for seven seconds at least: less is a hiccup. */
const inARow = 5
/** What goes well is noted no more often: whoever counts on it counts hours. */
const noteEvery = 60_000
/** Whoever reads waits for nothing so long. */
const longestSilence = 600_000

/**
 * Reads a source again and again until it is told to stop, and notes in the vault how that goes: when it went well last, and what it fails with since. So
 * whoever watches knows that letters lie on the broker alone, whichever control plane reads them. `isAtEnd` says that nothing which lay there is left to
 * be read.
 */
export async function readingAgain(
  source: Source,
  stop: AbortSignal,
  options: CollectOptions,
  work: (goesWell: (isAtEnd: boolean) => void) => Promise<void>,
): Promise<void> {
  const { clock, onProblem } = options
  const note = createNote(source, options)

  async function breakSilence(): Promise<void> {
    if (!note.isSilent()) return
    onProblem?.(new RedriveError('unreachable', 'Whoever reads a source has heard nothing for ten minutes.'))
    note.fails('unreachable')
  }

  const listening = createChore({ clock, every: noteEvery, work: breakSilence, onFailure() {} })
  const trying = {
    clock,
    onProblem(problem: RedriveError) {
      if (!stop.aborted) note.failed(problem.code)
      onProblem?.(problem)
    },
  }
  listening.start()
  await tryingAgain(stop, trying, async (goesWell) => {
    await note.begin()
    await work((isAtEnd) => {
      goesWell()
      note.goesWell(isAtEnd)
    })
  })
  await listening.stop()
  await note.done()
}

/** What the vault is told. Nobody waits for it: what cannot be written now is written with what comes next. */
interface Note {
  /** Before the first try: what one of before failed with is no news of ours. */
  begin(): Promise<void>
  goesWell(isAtEnd: boolean): void
  failed(code: string): void
  /** That it fails is certain. */
  fails(code: string): void
  /** Whether neither was said for a long time, and the vault does not know yet. */
  isSilent(): boolean
  done(): Promise<void>
}

function createNote(source: Source, { vault, clock, onKept }: CollectOptions): Note {
  let id: number | undefined
  let known: string | null = null
  let notedAt = Number.NEGATIVE_INFINITY
  let atEndAt: number | undefined
  let heardAt = clock.monotonic()
  let failures = 0
  let writing: Promise<void> | undefined

  async function write(source: number, problem: string | null): Promise<void> {
    const at = clock.monotonic()
    // The wall clock may have been set since then.
    const readAt = atEndAt === undefined ? {} : { readAt: clock.now() - (at - atEndAt) }
    await vault.write('noteReading', { id: source, problem, ...readAt })
    const isNews = problem !== known
    known = problem
    notedAt = at
    // Whoever watches is to look at it now.
    if (isNews) onKept?.({ source, letters: [], duplicates: 0, reopenedCauses: [] })
  }

  function note(problem: string | null): void {
    if (id === undefined) return
    writing ??= write(id, problem)
      .catch(() => {})
      .finally(() => {
        writing = undefined
      })
  }

  function fails(code: string): void {
    if (known !== code) note(code)
  }

  return {
    async begin() {
      if (id !== undefined) return
      const found = await vault.write('registerSource', nameOf(source))
      known = found.problem === null ? null : ''
      if (found.problem) await vault.write('noteReading', { id: found.id, problem: known })
      id = found.id
    },
    goesWell(isAtEnd) {
      failures = 0
      heardAt = clock.monotonic()
      if (isAtEnd) atEndAt = heardAt
      if (known !== null || (isAtEnd && heardAt - notedAt >= noteEvery)) note(null)
    },
    failed(code) {
      failures++
      heardAt = clock.monotonic()
      if (failures >= inARow) fails(code)
    },
    fails,
    isSilent: () => clock.monotonic() - heardAt >= longestSilence && !known,
    async done() {
      await writing
    },
  }
}
