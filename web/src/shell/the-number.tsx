import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { sourcesQuery } from '../api/sources.ts'
import { many, numberText } from '../parts/number.model.ts'
import { totalOf } from './total.model.ts'

/** How many letters ask for attention: red above 0, and never green while a broker cannot be asked, nor after a look that failed. */
export function TheNumber() {
  const { data, isError } = useQuery(sourcesQuery)
  if (!data) return <p className="text-muted lg:mt-2 lg:min-h-[4.5rem]">{isError ? 'The number is not known.' : 'Counting…'}</p>
  const { unresolved, isAtLeast, unreachable } = totalOf(data)
  const isSure = !isAtLeast && !isError
  const tone = unresolved > 0 ? 'text-bad' : isSure ? 'text-good' : 'text-warn'
  return (
    <Link
      href="/overview"
      className="flex items-baseline gap-2 rounded lg:mt-2 lg:block lg:min-h-[4.5rem]"
      data-testid="the-number"
    >
      <span className={`text-2xl leading-none font-semibold lg:block lg:text-5xl ${tone}`}>
        {isAtLeast && <span className="text-lg font-normal">≥ </span>}
        {numberText(unresolved)}
      </span>
      <span className="text-sm text-muted lg:mt-1 lg:block">
        {unresolved === 0 && isSure ? '✓ nothing asks for you' : `${unresolved === 1 ? 'letter asks' : 'letters ask'} for you`}
        {isError && <span className="block text-warn">? the last look failed</span>}
        {unreachable > 0 && <span className="block text-warn">? {many(unreachable, 'source')} cannot be asked</span>}
      </span>
    </Link>
  )
}
