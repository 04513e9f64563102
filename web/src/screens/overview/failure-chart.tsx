import { many, numberText } from '../../parts/number.model.ts'
import { durationText } from '../../parts/time.model.ts'
import { heightOf, percentText, type Step, shareOf, type Threshold, topOf, totalOf } from './failure-rate.model.ts'

interface FailureChartProps {
  readonly steps: readonly Step[]
  /** Milliseconds. */
  readonly step: number
  readonly thresholds: readonly Threshold[]
}

const wide = 720
const high = 112

/** The share that was given up as a line, with what was handled as bars behind it and the limits of the rules across. */
export function FailureChart({ steps, step, thresholds }: FailureChartProps) {
  const top = topOf(steps, thresholds)
  const most = Math.max(1, ...steps.map(({ handled }) => handled))
  const each = wide / steps.length
  const y = (share: number): number => high - heightOf(share, top) * (high - 4)
  const total = totalOf(steps)
  const share = shareOf(total)
  const said = `${numberText(total.deadLettered)} of ${many(total.handled, 'message')} dead-lettered${share === undefined ? '' : `, ${percentText(share)}`}`
  return (
    <figure className="rounded-lg border bg-surface p-3">
      <div className="relative">
        <svg
          role="img"
          aria-label={`${said}. ${thresholds.map(({ limit, severity }) => `${severity} above ${percentText(limit)}`).join(', ')}.`}
          viewBox={`0 0 ${wide} ${high}`}
          preserveAspectRatio="none"
          className="h-32 w-full"
        >
          {steps.map((one, index) => (
            <rect
              key={one.at}
              className="fill-raised"
              x={index * each}
              width={each * 0.9}
              y={high - (one.handled / most) * (high - 4)}
              height={(one.handled / most) * (high - 4)}
            />
          ))}
          {thresholds.map(({ rule, severity, limit }) => (
            <line
              key={rule}
              x1="0"
              x2={wide}
              y1={y(limit)}
              y2={y(limit)}
              strokeDasharray="6 4"
              className={severity === 'critical' ? 'stroke-bad' : 'stroke-warn'}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {steps.map((one, index) => {
            const part = shareOf(one)
            if (part === undefined) return null
            const title = `${new Date(one.at).toLocaleString()}: ${numberText(one.deadLettered)} of ${numberText(one.handled)}, ${percentText(part)}`
            return (
              <g key={one.at}>
                <title>{title}</title>
                <rect x={index * each} y={0} width={each} height={high} fill="transparent" />
                <rect x={index * each} y={y(part) - 1.5} width={each} height={3} className="fill-accent" />
              </g>
            )
          })}
        </svg>
        <ul aria-hidden="true" className="pointer-events-none absolute inset-0 text-2xs">
          {thresholds.map(({ rule, severity, limit }) => (
            <li
              key={rule}
              className={`absolute right-0 -translate-y-1/2 rounded bg-surface px-1 ${severity === 'critical' ? 'text-bad' : 'text-warn'}`}
              style={{ top: `${(y(limit) / high) * 100}%` }}
            >
              {percentText(limit)} {severity}
            </li>
          ))}
        </ul>
      </div>
      <figcaption className="mt-1 text-xs text-muted">
        {said}. <span className="text-accent">▬</span> the share that was dead-lettered, ▮ what was handled: full height is{' '}
        {many(most, 'message')} in {durationText(step)}. Dashed: where the rules begin to hold.
      </figcaption>
    </figure>
  )
}
