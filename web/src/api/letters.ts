import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Answer, addressOf, call, callTagged } from './client.ts'
import { toldSoFar } from './live.ts'

export type Letter = Answer<'GET /letters'>['letters'][number]
export type LetterDetail = Answer<'GET /letters/{id}'>
export type Content = Answer<'GET /letters/{id}/content'>
export type Selection = { readonly filter: string; readonly before?: number } | { readonly letters: number[] }

const pageSize = 200

/** Page by page, from the newest back: a million letters are never in one answer. Live changes do not move what somebody reads. */
export const lettersQuery = (filter: string) =>
  infiniteQueryOptions({
    queryKey: ['letters', filter],
    queryFn: async ({ pageParam }) => {
      // Before the question: what is told while it is answered may not be in the answer.
      const asOf = toldSoFar()
      const query = { limit: pageSize, ...(filter && { filter }), ...(pageParam !== undefined && { cursor: pageParam }) }
      return { ...(await call('GET /letters', { query })), asOf }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The newest few, to learn what they have in common. */
export const sampleQuery = (filter: string) =>
  queryOptions({
    queryKey: ['sample', filter],
    queryFn: async () => (await call('GET /letters', { query: { filter, limit: pageSize } })).letters,
  })

export const countQuery = (filter: string) =>
  queryOptions({ queryKey: ['count', filter], queryFn: () => call('GET /letters/count', { query: { filter } }) })

export const letterQuery = (id: number) =>
  queryOptions({
    queryKey: ['letter', id],
    queryFn: async () => {
      const { answer, etag } = await callTagged('GET /letters/{id}', { path: { id } })
      return { ...answer, etag }
    },
  })

/** Each look stands in the audit trail, so that nothing looks again by itself. */
export const contentQuery = (id: number, reveals: boolean) =>
  queryOptions({
    queryKey: ['content', id, reveals],
    queryFn: () => call('GET /letters/{id}/content', { path: { id }, query: { reveal: reveals ? 'true' : 'false' } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

export const traceQuery = (correlationId: string) =>
  queryOptions({
    queryKey: ['trace', correlationId],
    queryFn: async () => (await call('GET /trace', { query: { correlationId } })).events,
  })

export function rawAddress(id: number): string {
  return addressOf('/letters/{id}/raw', { id })
}

export function discard(selection: Selection): Promise<{ letters: number }> {
  return call('POST /letters/discard', { body: { selection } })
}

export function restore(selection: Selection): Promise<{ letters: number }> {
  return call('POST /letters/restore', { body: { selection } })
}

export function noteLetter(id: number, text: string): Promise<unknown> {
  return call('POST /letters/{id}/notes', { path: { id }, body: { text } })
}

export function decideUnknown(letters: number[], verdict: 'open' | 'assumed'): Promise<{ letters: number }> {
  return call('POST /letters/decide-unknown', { body: { letters, verdict } })
}
