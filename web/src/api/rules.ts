import { queryOptions } from '@tanstack/react-query'
import type { Api } from './api-types.ts'
import { type Answer, call } from './client.ts'

export type Rule = Answer<'GET /rules'>['rules'][number]
export type RuleTest = Answer<'POST /rules/{rule}/test'>

/** They change with the configuration, when the server is started anew. */
export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: async () => (await call('GET /rules', {})).rules,
  staleTime: 60_000,
})

export function testRule(rule: string, body: Api['POST /rules/{rule}/test']['body']): Promise<RuleTest> {
  return call('POST /rules/{rule}/test', { path: { rule }, body })
}
