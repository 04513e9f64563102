import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import { Problem } from './problem.tsx'

type Query = UseQueryResult | UseInfiniteQueryResult

/** What stands where an answer of the server will stand: that it is awaited, or why it did not come. Nothing once it is there. */
export function Asked({ of: { isLoading, error, refetch } }: { readonly of: Pick<Query, 'isLoading' | 'error' | 'refetch'> }) {
  if (error) return <Problem error={error} retry={() => void refetch()} />
  return isLoading ? <p className="text-muted">One moment…</p> : null
}
