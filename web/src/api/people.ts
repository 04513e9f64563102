import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Api } from './api-types.ts'
import { type Answer, call, callTagged } from './client.ts'

export type User = Answer<'GET /users'>['users'][number]

export const usersQuery = queryOptions({
  queryKey: ['users'],
  queryFn: async () => (await call('GET /users', {})).users,
})

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await call('GET /tokens', {})).tokens,
})

export const auditQuery = infiniteQueryOptions({
  queryKey: ['audit'],
  queryFn: ({ pageParam }) =>
    call('GET /audit', { query: { limit: 100, ...(pageParam !== undefined && { cursor: pageParam }) } }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
})

export function createUser(body: Api['POST /users']['body']): Promise<Answer<'POST /users'>> {
  return call('POST /users', { body })
}

/** One user as they are now, with the tag by which a change says so: what somebody else changed meanwhile is not overwritten. */
export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: async () => {
      const { answer, etag } = await callTagged('GET /users/{id}', { path: { id } })
      return { user: answer, etag }
    },
    gcTime: 0,
  })

export function changeUser(id: number, body: Api['PATCH /users/{id}']['body'], etag: string | undefined): Promise<User> {
  return call('PATCH /users/{id}', { path: { id }, body, ifMatch: etag })
}

export function newLink(id: number): Promise<Answer<'POST /users/{id}/link'>> {
  return call('POST /users/{id}/link', { path: { id } })
}

export function issueToken(body: Api['POST /tokens']['body']): Promise<Answer<'POST /tokens'>> {
  return call('POST /tokens', { body })
}

export function revokeToken(id: number): Promise<unknown> {
  return call('DELETE /tokens/{id}', { path: { id } })
}

export function verifyAudit(): Promise<Answer<'GET /audit/verification'>> {
  return call('GET /audit/verification', { query: {} })
}
