import { queryOptions } from '@tanstack/react-query'
import { type Answer, call } from './client.ts'

export type Alert = Answer<'GET /alerts'>['alerts'][number]

export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: async () => (await call('GET /alerts', { query: { which: 'open' } })).alerts,
  refetchInterval: 15_000,
})

export type Mark = 'acknowledge' | 'snooze'

export function mark(fingerprint: string, how: Mark, until: number): Promise<unknown> {
  return call(`POST /alerts/{fingerprint}/${how}`, { path: { fingerprint }, body: { until } })
}

export function unmark(fingerprint: string, how: Mark): Promise<unknown> {
  return call(`POST /alerts/{fingerprint}/un${how}`, { path: { fingerprint } })
}
