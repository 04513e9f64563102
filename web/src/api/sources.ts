import { queryOptions } from '@tanstack/react-query'
import { type Answer, call } from './client.ts'

export type Source = Answer<'GET /sources'>['sources'][number]

/** Brokers are asked each time, so that "checked" is never long ago. */
const askEvery = 10_000

export const sourcesQuery = queryOptions({
  queryKey: ['sources'],
  queryFn: async () => (await call('GET /sources', {})).sources,
  refetchInterval: askEvery,
})

export type Trend = Answer<'GET /sources/trends'>['sources'][number]

/** How the numbers went in the last day. */
export const trendsQuery = queryOptions({
  queryKey: ['trends'],
  queryFn: async () => (await call('GET /sources/trends', { query: {} })).sources,
  refetchInterval: 60_000,
})

export type Finding = Answer<'GET /sources/findings'>['findings'][number]

/** Brokers are asked about every channel, so that it is not asked again all the time. */
export const findingsQuery = queryOptions({
  queryKey: ['findings'],
  queryFn: async () => (await call('GET /sources/findings', {})).findings,
  staleTime: 60_000,
})

export const flowQuery = (hours: number) =>
  queryOptions({
    queryKey: ['flow', hours],
    queryFn: () => call('GET /flow', { query: { hours } }),
    refetchInterval: 60_000,
  })

export const conservationQuery = queryOptions({
  queryKey: ['conservation'],
  queryFn: () => call('GET /conservation', {}),
  refetchInterval: 60_000,
})
