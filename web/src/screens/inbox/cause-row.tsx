import { memo } from 'react'
import { Link } from 'wouter'
import type { Cause } from '../../api/causes.ts'
import { Ago } from '../../parts/ago.tsx'
import { numberText } from '../../parts/number.model.ts'
import { seen } from '../../parts/seen.model.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { State } from '../../parts/state.tsx'

interface CauseRowProps {
  readonly cause: Cause
  readonly index: number
  readonly isChosen: boolean
  /** It is not in this list any more, and stays so that nothing moves. */
  readonly isGone: boolean
  readonly onChoose: (cause: number, extend: boolean) => void
  /** Hours since 1970. */
  readonly hour: number
}

/** Rows that are in sight when a list comes have their true height from the beginning, so that nothing moves. The others wait until they are near. */
const drawnAtOnce = 20

/** One cause: how many letters ask for attention, what is broken and where, since when, and whose it is. */
export const CauseRow = memo(function CauseRow({ cause, index, isChosen, isGone, onChoose, hour }: CauseRowProps) {
  const { id, title, unresolved, matching, total, parts, recent, firstAt, lastAt, lastVersion, owner, state, regressedAt } = cause
  return (
    <div
      role="row"
      className={`${index < drawnAtOnce ? '' : '[contain-intrinsic-size:auto_3.5rem] [content-visibility:auto]'} grid grid-cols-[auto_4rem_minmax(0,1fr)] items-center gap-x-3 px-3 py-2 has-checked:bg-tint hover:bg-raised md:grid-cols-[auto_4.5rem_minmax(0,1fr)_6.5rem_9rem_8rem]`}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={`Select cause ${id}`}
          checked={isChosen}
          onChange={({ nativeEvent }) => onChoose(id, (nativeEvent as MouseEvent).shiftKey === true)}
        />
      </span>
      <span role="cell" className="text-right leading-tight">
        {/* What became of a cause that left is not asked for: a number would be an old one. */}
        <strong className={`text-lg ${isGone ? 'text-muted' : unresolved > 0 ? 'text-bad' : 'text-good'}`}>
          {isGone ? '–' : numberText(unresolved)}
        </strong>
        <span className="block text-2xs text-muted">of {numberText(total)}</span>
        {matching !== undefined && <span className="block text-2xs text-muted">{numberText(matching)} match</span>}
      </span>
      <span role="cell" className="min-w-0">
        <Link href={`/causes/${id}`} data-row={id} className="block truncate font-medium hover:underline" title={seen(title)}>
          {seen(title)}
        </Link>
        <span className="flex flex-wrap gap-x-3 text-xs text-muted">
          <span className="font-mono">{seen(parts.channel)}</span>
          {parts.place && <span className="font-mono">{seen(`${parts.place.function} · ${parts.place.module}`)}</span>}
          {lastVersion !== null && <span>version {seen(lastVersion)}</span>}
        </span>
      </span>
      <span role="cell" className="hidden md:block">
        <Sparkline hours={recent} length={24} last={hour} />
      </span>
      <span role="cell" className="col-start-3 text-xs text-muted md:col-start-auto">
        <span className="md:block">
          last <Ago at={lastAt} />
        </span>
        <span className="md:hidden">, </span>
        <span className="md:block">
          first <Ago at={firstAt} />
        </span>
      </span>
      <span
        role="cell"
        className="col-start-3 flex flex-wrap items-center gap-1 text-xs md:col-start-auto md:block md:text-right"
      >
        <CauseState isGone={isGone} state={state} isBack={regressedAt !== null} />
        <span className="text-muted md:mt-0.5 md:block">{owner === null ? 'nobody’s' : seen(owner)}</span>
      </span>
    </div>
  )
})

function CauseState({ isGone, state, isBack }: { readonly isGone: boolean; readonly state: string; readonly isBack: boolean }) {
  if (isGone) return <State of="skipped" text="left this list" />
  return isBack ? <State of="regressed" text="regression" /> : <State of={state} />
}
