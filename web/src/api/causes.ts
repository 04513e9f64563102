import { queryOptions } from '@tanstack/react-query'
import { type Answer, call, callTagged } from './client.ts'

export type Cause = Answer<'GET /causes'>['causes'][number]
export type CauseState = Cause['state']
export const causeStates = ['open', 'acknowledged', 'resolved', 'archived'] as const satisfies readonly CauseState[]

export type CauseDetail = Answer<'GET /causes/{id}'>
export type CauseDecision = CauseDetail['decisions'][number]

const pageSize = 200
const mostPages = 5

export interface CauseList {
  /** Which causes these are, in one text: another list has another one. */
  readonly of: string
  readonly causes: readonly Cause[]
  /** There are older ones that were not asked for. */
  readonly hasMore: boolean
  /** So many letters match the filter that not all were looked at. */
  readonly isPartial: boolean
}

/** Causes are few: what people sort and search on the screen is fetched at once, the newest thousand of it. */
export const causesQuery = (state: CauseState | undefined, filter = '') =>
  queryOptions({
    queryKey: ['causes', state ?? 'all', filter],
    queryFn: async (): Promise<CauseList> => {
      const causes: Cause[] = []
      let cursor: string | undefined
      let isPartial = false
      for (let page = 0; page < mostPages; page++) {
        const which = { ...(state && { state }), ...(filter !== '' && { filter }) }
        const query = { limit: pageSize, ...which, ...(cursor !== undefined && { cursor }) }
        const answer = await call('GET /causes', { query })
        causes.push(...answer.causes)
        cursor = answer.next
        isPartial ||= answer.isPartial === true
        if (cursor === undefined) break
      }
      return { of: `${state ?? 'all'} ${filter}`, causes, isPartial, hasMore: cursor !== undefined }
    },
  })

export const causeQuery = (id: number) =>
  queryOptions({
    queryKey: ['cause', id],
    queryFn: async () => {
      const { answer, etag } = await callTagged('GET /causes/{id}', { path: { id } })
      return { ...answer, etag }
    },
  })

export function judge(id: number, state: CauseState, fixedIn?: string): Promise<unknown> {
  return call('PUT /causes/{id}/judgement', { path: { id }, body: { state, ...(fixedIn !== undefined && { fixedIn }) } })
}

export function own(id: number, owner: string | null): Promise<unknown> {
  return call('PUT /causes/{id}/owner', { path: { id }, body: { owner } })
}

export function noteCause(id: number, text: string): Promise<unknown> {
  return call('POST /causes/{id}/notes', { path: { id }, body: { text } })
}

/** Other causes are this one. `seen` is the tag of what was on the screen. */
export function mergeCauses(id: number, causes: number[], reason: string, seen?: string): Promise<CauseDetail> {
  return call('POST /causes/{id}/merge', { path: { id }, body: { causes, reason }, ifMatch: seen })
}

/** What the rule means among its letters is another cause, which is told. */
export function splitCause(id: number, rule: string, reason: string): Promise<CauseDetail> {
  return call('POST /causes/{id}/split', { path: { id }, body: { rule, reason } })
}

export function undoDecision(id: number, reason: string): Promise<CauseDetail> {
  return call('POST /cause-decisions/{id}/undo', { path: { id }, body: { reason } })
}
