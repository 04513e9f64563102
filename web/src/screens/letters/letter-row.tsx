import { memo } from 'react'
import { Link } from 'wouter'
import type { Letter } from '../../api/letters.ts'
import { Ago } from '../../parts/ago.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { failureText } from './failure.model.ts'

export const rowHeight = 56

interface LetterRowProps {
  readonly letter: Letter
  readonly index: number
  readonly top: number
  readonly isChosen: boolean
  readonly onChoose: (letter: number, extend: boolean) => void
}

export const LetterRow = memo(function LetterRow({ letter, index, top, isChosen, onChoose }: LetterRowProps) {
  const { id, state, channel, service, version, attempts, failedAt } = letter
  const failure = failureText(letter)
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      style={{ transform: `translateY(${top}px)`, height: rowHeight }}
      className="absolute inset-x-0 top-0 grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 border-b px-3 hover:bg-raised has-checked:bg-tint md:grid-cols-[auto_4.5rem_minmax(0,1fr)_minmax(0,14rem)_7rem_6.5rem]"
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select letter ${id}`}
          checked={isChosen}
          onChange={({ nativeEvent }) => onChoose(id, (nativeEvent as MouseEvent).shiftKey === true)}
        />
      </span>
      <span role="cell" className="hidden text-muted md:block">
        {id}
      </span>
      <span role="cell" className="min-w-0">
        <Link href={`/letters/${id}`} data-row={id} className="block truncate hover:underline" title={failure}>
          {failure}
        </Link>
        <span className="block truncate font-mono text-xs text-muted">{seen(channel)}</span>
      </span>
      <span role="cell" className="hidden min-w-0 truncate text-xs text-muted md:block">
        {service !== null && seen(service)}
        {version !== null && ` ${seen(version)}`}
        {attempts !== null && <span className="block">{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>}
      </span>
      <span role="cell" className="hidden text-xs text-muted md:block">
        <Ago at={failedAt} />
      </span>
      <span role="cell" className="text-right">
        <State of={state} />
      </span>
    </div>
  )
})
