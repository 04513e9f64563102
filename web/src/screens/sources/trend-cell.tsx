import type { Trend } from '../../api/sources.ts'
import { Ago } from '../../parts/ago.tsx'
import { numberText } from '../../parts/number.model.ts'
import { courseOf, courseText, flowText } from './trend.model.ts'

const [high, each] = [20, 4]

/** How the number of a source went in the last day, and what came of it. Where nobody looked there is a gap, and no 0. */
export function TrendCell({ trend, now }: { readonly trend: Trend | undefined; readonly now: number }) {
  const course = trend && courseOf(trend, now)
  if (!trend || !course) return <span className="text-muted">not watched before</span>
  const known = trend.steps.map(({ letters }) => letters ?? 0)
  const most = Math.max(1, ...known)
  const tone = course.change > 0 ? 'text-bad' : course.change < 0 ? 'text-good' : 'text-muted'
  const flow = flowText(trend)
  const range = `In the last day at most ${numberText(most)} and at least ${numberText(Math.min(...known))}`
  return (
    <span className="flex items-center gap-2 whitespace-nowrap" title={flow}>
      <svg
        role="img"
        aria-label={flow === undefined ? range : `${range}. ${flow}`}
        viewBox={`0 0 ${trend.steps.length * each} ${high}`}
        width={trend.steps.length * each}
        height={high}
      >
        {trend.steps.map(({ at, letters }, index) => {
          const tall = letters === null ? 0 : Math.max(1, (letters / most) * high)
          return <rect key={at} className="fill-control" x={index * each} y={high - tall} width={each - 1} height={tall} />
        })}
      </svg>
      <span className={`text-xs ${tone}`}>
        {courseText(course)}
        <span className="block text-muted">
          than <Ago at={course.since} />
        </span>
      </span>
    </span>
  )
}
