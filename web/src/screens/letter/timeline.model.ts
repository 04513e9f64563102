import type { LetterDetail } from '../../api/letters.ts'
import { many } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import { failureText } from '../letters/failure.model.ts'

export interface Moment {
  readonly at: number
  readonly sign: string
  readonly text: string
  readonly to?: string
}

/** Everything that happened to a letter, the newest first. */
export function momentsOf({ letter, failedRuns, edits, replays, notes }: LetterDetail): readonly Moment[] {
  const tries = letter.attempts === null ? '' : ` at attempt ${letter.attempts}`
  const by = [letter.service, letter.version].filter((part) => part !== null).join(' ')
  const moments: Moment[] = [
    ...runsBefore(letter.failedAt, failedRuns),
    { at: letter.failedAt, sign: '✕', text: `Given up${tries}${by && ` by ${seen(by)}`}: ${failureText(letter)}` },
    { at: letter.receivedAt, sign: '▣', text: 'Kept in the vault' },
    ...edits.map(({ madeAt, actor, id }) => ({ at: madeAt, sign: '✎', text: `Edited by ${seen(actor)} (edit ${id})` })),
    ...notes.map(({ madeAt, actor }) => ({ at: madeAt, sign: '¶', text: `Note by ${seen(actor)}` })),
    ...replays.map(({ at, replay, state, destination, problem }) => ({
      at,
      sign: '↻',
      text: `Replay ${replay} to ${seen(destination.channel)}: ${state}${problem === null ? '' : ` (${seen(problem)})`}`,
      to: `/replays/${replay}`,
    })),
  ]
  return moments.toSorted((one, other) => other.at - one.at)
}

/**
 * Runs that failed before it was given up, which is a moment of its own. Of many, only the first and the last ones were written down, and of
 * earlier turns none where the broker keeps nothing about a message: what is missing is said.
 */
function runsBefore(givenUpAt: number, failedRuns: LetterDetail['failedRuns']): Moment[] {
  return failedRuns.flatMap(({ attempt, at, errorType, description }, index) => {
    const missing = attempt - (failedRuns[index - 1]?.attempt ?? 0) - 1
    const run: Moment = { at, sign: '·', text: `Attempt ${attempt} failed: ${seen(errorType)}: ${seen(description)}` }
    const gap: Moment = { at, sign: '⋮', text: `Not written down: ${many(missing, 'earlier attempt')}` }
    return [...(at === givenUpAt ? [] : [run]), ...(missing > 0 ? [gap] : [])]
  })
}
