import { many } from './number.model.ts'

interface SparklineProps {
  /** Of each hour in which there were any. */
  readonly hours: readonly { readonly hour: number; readonly letters: number }[]
  readonly length: number
  /** The hour at the right, counted since 1970. */
  readonly last: number
  /** As wide as its place, instead of as wide as its hours. */
  readonly isWide?: boolean
}

const height = 24
const step = 4

/** Letters of each hour, the present one at the right. In words for who does not see it. */
export function Sparkline({ hours, length, last, isWide = false }: SparklineProps) {
  const most = Math.max(1, ...hours.map(({ letters }) => letters))
  const total = hours.reduce((sum, { letters }) => sum + letters, 0)
  return (
    <svg
      role="img"
      aria-label={`${many(total, 'letter')} in the last ${length} hours`}
      viewBox={`0 0 ${length * step} ${height}`}
      {...(isWide ? { preserveAspectRatio: 'none' } : { width: length * step, height })}
      className={isWide ? 'h-14 w-full text-bad' : 'max-w-full text-bad'}
    >
      <line x1="0" x2={length * step} y1={height - 0.5} y2={height - 0.5} className="stroke-line" />
      {/* One path for all bars: an inbox has hundreds of these, and a browser counts every element. */}
      <path d={hours.map(({ hour, letters }) => bar(length - 1 - (last - hour), letters / most)).join('')} fill="currentColor" />
    </svg>
  )
}

/** `share` of the height; what is not nothing can be seen. */
function bar(place: number, share: number): string {
  const tall = Math.max(2, Math.round(share * (height - 2)))
  return `M${place * step} ${height}v-${tall}h${step - 1}v${tall}z`
}
