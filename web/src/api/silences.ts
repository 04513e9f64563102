import { queryOptions } from '@tanstack/react-query'
import type { Api } from './api-types.ts'
import { type Answer, call } from './client.ts'

export type Silence = Answer<'GET /silences'>['silences'][number]
export type NewSilence = Api['POST /silences']['body']

export const silencesQuery = queryOptions({
  queryKey: ['silences'],
  queryFn: async () => (await call('GET /silences', {})).silences,
  refetchInterval: 30_000,
})

export function makeSilence(body: NewSilence): Promise<Silence> {
  return call('POST /silences', { body })
}

export function extendSilence(id: number, endsAt: number): Promise<Silence> {
  return call('POST /silences/{id}/extend', { path: { id }, body: { endsAt } })
}

export function endSilence(id: number): Promise<Silence> {
  return call('POST /silences/{id}/end', { path: { id } })
}
