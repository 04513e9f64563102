import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query'
import type { Api } from './api-types.ts'
import { type Answer, call } from './client.ts'

export type ReplayDetail = Answer<'GET /replays/{id}'>
export type Replay = ReplayDetail['replay']
export type Counts = ReplayDetail['counts']
export type Preview = Answer<'POST /replays/preview'>
export type Wishes = Api['POST /replays/preview']['body']
export type SealedEdits = NonNullable<Api['POST /replays']['body']['edits']>
export type LedgerLine = Answer<'GET /replays/{id}/ledger'>['lines'][number]
export type LedgerState = LedgerLine['state']

const pageSize = 100

export const replaysQuery = infiniteQueryOptions({
  queryKey: ['replays'],
  queryFn: ({ pageParam }) =>
    call('GET /replays', { query: { limit: pageSize, ...(pageParam !== undefined && { cursor: pageParam }) } }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }) => next,
})

export const replayQuery = (id: number) =>
  queryOptions({ queryKey: ['replay', id], queryFn: () => call('GET /replays/{id}', { path: { id } }) })

export const previewQuery = (wishes: Wishes) =>
  queryOptions({
    queryKey: ['preview', wishes],
    queryFn: () => call('POST /replays/preview', { body: wishes }),
    retry: false,
    gcTime: 0,
  })

export const ledgerQuery = (replay: number, state: LedgerState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['ledger', replay, state ?? 'all'],
    queryFn: ({ pageParam }) => ledgerPage(replay, state, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })

function ledgerPage(id: number, state?: LedgerState, cursor?: string): Promise<Answer<'GET /replays/{id}/ledger'>> {
  const query = { limit: pageSize, ...(state && { state }), ...(cursor !== undefined && { cursor }) }
  return call('GET /replays/{id}/ledger', { path: { id }, query })
}

/** Every line of these states, for a file. */
export async function ledgerLines(replay: number, states: readonly LedgerState[]): Promise<readonly LedgerLine[]> {
  const lines: LedgerLine[] = []
  for (const state of states) {
    let cursor: string | undefined
    do {
      const page = await ledgerPage(replay, state, cursor)
      lines.push(...page.lines)
      cursor = page.next
    } while (cursor !== undefined)
  }
  return lines
}

export function seal(body: Api['POST /replays']['body']): Promise<ReplayDetail> {
  return call('POST /replays', { body })
}

/** Why a replay that was sealed to be started at once was not. Whoever sealed it leaves the refusal here, and its own screen shows it. */
export const refusalQuery = (id: number) => queryOptions<Error | null>({ queryKey: ['refusal', id], queryFn: skipToken })

export type Verb = 'start' | 'pause' | 'resume' | 'cancel'

export function tell(id: number, verb: Verb): Promise<ReplayDetail> {
  return call(`POST /replays/{id}/${verb}`, { path: { id } })
}

/** It is started at this time, in epoch milliseconds. */
export function schedule(id: number, at: number): Promise<ReplayDetail> {
  return call('POST /replays/{id}/schedule', { path: { id }, body: { at } })
}

/** Where a text is not as the schema of the letter wants it. The text goes to the server, where it goes in the end, and nowhere else. */
export const schemaQuery = (letter: number, text: string) =>
  queryOptions({
    queryKey: ['schema', letter, text],
    queryFn: () => call('POST /letters/{id}/edits/check', { path: { id: letter }, body: { text } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export function edit(
  letter: number,
  change: Api['POST /letters/{id}/edits']['body'],
  etag: string | undefined,
): Promise<{ id: number }> {
  return call('POST /letters/{id}/edits', { path: { id: letter }, body: change, ifMatch: etag })
}
