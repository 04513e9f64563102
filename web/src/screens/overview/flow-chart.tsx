import { many, numberText } from '../../parts/number.model.ts'
import { everyHour, type FlowHour, scaleOf } from './flow.model.ts'

interface FlowChartProps {
  readonly hours: readonly FlowHour[]
  readonly now: number
  readonly length: number
}

const wide = 720
const half = 56
const hourLength = 3_600_000

/** What came stands above the line, what was settled below it: a queue that drains is heavier below. */
export function FlowChart({ hours, now, length }: FlowChartProps) {
  const shown = everyHour(hours, now, length)
  const scale = scaleOf(shown)
  const step = wide / length
  const arrived = shown.reduce((sum, each) => sum + each.arrived, 0)
  const settled = shown.reduce((sum, each) => sum + each.settled, 0)
  const tall = (value: number): number => (value === 0 ? 0 : Math.max(1.5, (value / scale) * half))
  return (
    <figure className="rounded-lg border bg-surface p-3">
      <svg
        role="img"
        aria-label={`In the last ${length} hours ${many(arrived, 'letter')} came and ${many(settled, 'letter')} ${settled === 1 ? 'was' : 'were'} settled.`}
        viewBox={`0 0 ${wide} ${2 * half + 2}`}
        preserveAspectRatio="none"
        className="h-32 w-full"
      >
        {shown.map((each, index) => (
          <g key={each.hour}>
            <title>{`${new Date(each.hour * hourLength).toLocaleString()}: ${numberText(each.arrived)} came, ${numberText(each.settled)} settled`}</title>
            <rect x={index * step} y={0} width={step} height={2 * half + 2} fill="transparent" />
            <rect
              className="fill-bad"
              x={index * step + step * 0.1}
              y={half - tall(each.arrived)}
              width={step * 0.8}
              height={tall(each.arrived)}
            />
            <rect
              className="fill-good"
              x={index * step + step * 0.1}
              y={half + 2}
              width={step * 0.8}
              height={tall(each.settled)}
            />
          </g>
        ))}
        <line x1="0" x2={wide} y1={half + 1} y2={half + 1} className="stroke-control" vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption className="mt-1 grid grid-cols-2 gap-x-4 text-xs text-muted">
        <span>{length} hours ago</span>
        <span className="text-right">now</span>
        <span className="col-span-2">
          <span className="text-bad">▲ {numberText(arrived)} came</span>,{' '}
          <span className="text-good">▼ {numberText(settled)} settled</span>; a bar of full height is {numberText(scale)} in an
          hour
        </span>
      </figcaption>
    </figure>
  )
}
