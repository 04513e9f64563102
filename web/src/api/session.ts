import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Right, type Role, rolesWithRight } from '../../../src/server/rights.ts'
import { type Answer, ApiProblem, call } from './client.ts'

export type Who = Answer<'GET /session'>

/** `null`: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Who | null> => {
    try {
      return await call('GET /session', {})
    } catch (error) {
      if (error instanceof ApiProblem && error.status === 401) return null
      throw error
    }
  },
  staleTime: 60_000,
})

/** What somebody can sign in with. */
export const waysInQuery = queryOptions({ queryKey: ['login'], queryFn: () => call('GET /login', {}), staleTime: 60_000 })

export function useWho(): Who {
  const { data } = useQuery(sessionQuery)
  if (!data) throw new Error('This is shown to people who are signed in.')
  return data
}

/** Signed in as somebody else, nothing that was shown before is true. */
export function useEnter(): (who: Who) => void {
  const client = useQueryClient()
  return (who) => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] })
    client.setQueryData(sessionQuery.queryKey, who)
  }
}

/** What is counted over all sources is for who was given all of them. */
export function useSeesAll(): boolean {
  return useWho().sources.every((patterns) => patterns.includes('*'))
}

/** Why somebody may not do something, in a sentence; `undefined` when they may. */
export function useLack(): (right: Right) => string | undefined {
  const { rights, role } = useWho()
  return (right) => (rights.includes(right) ? undefined : lackText(right, role))
}

function lackText(right: Right, role: string): string {
  const having: readonly Role[] = rolesWithRight[right]
  if (having.length === 0) return `Needs the right ${right}, which an admin gives to a person by itself (People).`
  return `Needs the right ${right}. You are ${role}; ${having.join(', ')} ${having.length === 1 ? 'has' : 'have'} it.`
}
