import type { LetterDetail } from '../../api/letters.ts'
import { seen } from '../../parts/seen.model.ts'
import { failureText } from '../letters/failure.model.ts'

export interface Moment {
  readonly at: number
  readonly sign: string
  readonly text: string
  readonly to?: string
}

/** Everything that happened to a letter, the newest first. */
export function momentsOf({ letter, edits, replays, notes }: LetterDetail): readonly Moment[] {
  const tries = letter.attempts === null ? '' : ` at attempt ${letter.attempts}`
  const by = [letter.service, letter.version].filter((part) => part !== null).join(' ')
  const moments: Moment[] = [
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
