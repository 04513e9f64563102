import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type Answer, call } from './client.ts'

export type Notifier = Answer<'GET /notifiers'>['notifiers'][number]
export type Delivery = Answer<'GET /deliveries'>['deliveries'][number]

export const notifiersQuery = queryOptions({
  queryKey: ['notifiers'],
  queryFn: async () => (await call('GET /notifiers', {})).notifiers,
  refetchInterval: 15_000,
})

export const deliveriesQuery = infiniteQueryOptions({
  queryKey: ['deliveries'],
  queryFn: ({ pageParam }) =>
    call('GET /deliveries', { query: { limit: 50, ...(pageParam !== undefined && { cursor: pageParam }) } }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
})

export function testNotifier(name: string): Promise<Answer<'POST /notifiers/{name}/test'>> {
  return call('POST /notifiers/{name}/test', { path: { name } })
}

export function redeliver(id: number): Promise<Delivery> {
  return call('POST /deliveries/{id}/redeliver', { path: { id } })
}
