import type { LedgerState, ReplayDetail } from '../../api/replays.ts'
import { numberText } from '../../parts/number.model.ts'
import { State } from '../../parts/state.tsx'
import { partsOf } from './progress.model.ts'

const fills: Readonly<Record<string, string>> = {
  succeeded: 'fill-good',
  assumed: 'fill-good opacity-60',
  sent: 'fill-accent',
  claimed: 'fill-accent',
  planned: 'fill-line',
  returned: 'fill-bad',
  unknown: 'fill-warn',
  refused: 'fill-bad',
  skipped: 'fill-control',
  cancelled: 'fill-control',
}

interface ProgressProps {
  readonly detail: ReplayDetail
  /** The state whose letters are listed below; absent: of every one. */
  readonly chosen: LedgerState | undefined
  readonly onChoose: (state: LedgerState | undefined) => void
}

/** Sent, processed, died again and unknown are four numbers, and stay four. */
export function Progress({ detail: { replay, counts }, chosen, onChoose }: ProgressProps) {
  const parts = partsOf(counts)
  const total = Math.max(1, replay.letters)
  let from = 0
  return (
    <div className="rounded-lg border bg-surface p-4">
      <svg
        role="img"
        aria-label={parts.map(({ state, count }) => `${count} ${state}`).join(', ')}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        className="h-3 w-full rounded"
      >
        {parts.map(({ state, count }) => {
          const x = from
          from += (count / total) * 100
          return <rect key={state} x={x} y={0} width={(count / total) * 100} height={4} className={fills[state]} />
        })}
      </svg>
      <ul className="mt-4 grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-5" data-testid="counts">
        {parts.map(({ state, count, means }) => (
          <li key={state} data-state={state}>
            <button
              type="button"
              aria-pressed={state === chosen}
              onClick={() => onChoose(state === chosen ? undefined : state)}
              className="-m-2 w-full rounded-md p-2 text-left hover:bg-raised aria-pressed:bg-tint"
            >
              <strong className={`block text-2xl leading-tight ${count === 0 ? 'font-normal text-muted' : ''}`}>
                {numberText(count)}
              </strong>
              <State of={state} />
              <span className="mt-1 block text-xs text-muted">{means}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
