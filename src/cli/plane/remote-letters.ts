import { Buffer } from 'node:buffer'
import { RedriveError } from '../../core/errors.ts'
import type { FailedRun } from '../../core/failed-runs.ts'
import { isList, isTable } from '../../core/headers.ts'
import type { HeaderValue, Message } from '../../core/message.ts'
import type { Counted, LetterDetail, LetterPage, Letters, Selection } from '../../ops/control-plane.ts'
import type { HttpClient } from './http-client.ts'

/** As many as the API takes in one request. */
const page = 200
const mostIds = 10_000
const mostLookedUp = 200

/** The form of `next` in the API. */
export function cursorOf(position: unknown): string | undefined {
  return position === undefined ? undefined : Buffer.from(JSON.stringify(position)).toString('base64url')
}

export function positionOf<T>(cursor: string | undefined): T | undefined {
  return cursor === undefined ? undefined : (JSON.parse(Buffer.from(cursor, 'base64url').toString()) as T)
}

/** Letters by way of a server. It shows less than a vault does: of a key only a hash, of a cause only the head. */
export function remoteLetters(http: HttpClient): Letters {
  async function each(url: string, selection: Selection, more: object = {}): Promise<Counted> {
    let letters = 0
    for (const part of partsOf(selection))
      letters += (await http.send<Counted>('POST', url, { selection: part, ...more })).letters
    return { letters }
  }

  return {
    async find({ filter, limit, before }) {
      const query = { filter: filter || undefined, limit: Math.min(limit, page), cursor: cursorOf(before) }
      const { letters, next } = await http.get<LetterPage & { next?: string }>('/letters', query)
      const position = positionOf<number>(next)
      return { letters, ...(position !== undefined && { next: position }) }
    },
    show: (id) => http.get<LetterDetail>(`/letters/${id}`),
    failedRuns: async (id) => (await http.get<{ failedRuns: readonly FailedRun[] }>(`/letters/${id}`)).failedRuns,
    content: (id) => contentOf(http, id),
    checkBody: (id, body) => http.send('POST', `/letters/${id}/edits/check`, { text: Buffer.from(body).toString() }),
    async edit(id, { body, headers }) {
      const etag = await http.etagOf(`/letters/${id}`)
      const changed = {
        ...(body !== undefined && { body: body === null ? null : { base64: Buffer.from(body).toString('base64') } }),
        ...(headers && { headers: headers.map(([name, value]) => [name, headerJson(value)]) }),
      }
      return http.send('POST', `/letters/${id}/edits`, changed, { 'if-match': etag })
    },
    async newestEdits(letters) {
      if (letters.length > mostLookedUp) {
        const told = `Over a server edits are looked up for at most ${mostLookedUp} letters: give --originals, or select fewer.`
        throw new RedriveError('unsupported', told)
      }
      const newest = new Map<number, number>()
      for (const id of letters) {
        const edit = (await http.get<LetterDetail>(`/letters/${id}`)).edits.at(-1)
        if (edit) newest.set(id, edit.id)
      }
      return newest
    },
    discard: (selection) => each('/letters/discard', selection),
    restore: (selection) => each('/letters/restore', selection),
    purge: (selection) => each('/letters/purge', selection, { confirm: 'purge' }),
    erase: (id) => http.send('POST', `/letters/${id}/erase`, { confirm: 'erase' }),
    note: (id, text) => http.send('POST', `/letters/${id}/notes`, { text }),
    export: () => Promise.reject(onlyOnFile()),
    import: () => Promise.reject(onlyOnFile()),
  }
}

function onlyOnFile(): RedriveError {
  return new RedriveError('unsupported', 'A server does not offer this: work on the file of the vault, with --vault.')
}

export function partsOf(selection: Selection): readonly Selection[] {
  if ('filter' in selection) return [selection]
  const parts: Selection[] = []
  for (let start = 0; start < selection.letters.length; start += mostIds) {
    parts.push({ letters: selection.letters.slice(start, start + mostIds) })
  }
  return parts
}

interface View {
  readonly contentType: string | null
  readonly type: string | null
  readonly key: string | null
  readonly headers: readonly (readonly [name: string, value: unknown])[]
  readonly body: { readonly kind: string }
}

/** Whole, and therefore only for who has the right payload:reveal: what is masked must not become the body of an edit. */
async function contentOf(http: HttpClient, id: number): Promise<Message> {
  const view = await http.get<View>(`/letters/${id}/content`, { reveal: 'true' })
  const { letter } = await http.get<LetterDetail>(`/letters/${id}`)
  return {
    body: view.body.kind === 'none' ? null : await http.bytes(`/letters/${id}/raw`),
    headers: view.headers.map(([name, value]) => [name, headerValue(value)]),
    ...(view.key !== null && { key: view.key }),
    ...(view.type !== null && { type: view.type }),
    ...(view.contentType !== null && { contentType: view.contentType }),
    ...(letter.messageId !== null && { id: letter.messageId }),
    ...(letter.correlationId !== null && { correlationId: letter.correlationId }),
  }
}

/** Bytes, dates and large integers are objects with one member that starts with `$`, in both directions. */
function headerJson(value: HeaderValue): unknown {
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Date) return { $date: value.toISOString() }
  if (typeof value === 'bigint') return { $integer: String(value) }
  if (isList(value)) return value.map(headerJson)
  if (isTable(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, headerJson(item)]))
  return value
}

function headerValue(value: unknown): HeaderValue {
  if (Array.isArray(value)) return value.map(headerValue)
  if (typeof value !== 'object' || value === null) return value as HeaderValue
  const { $bytes, $date, $integer } = value as Readonly<Record<string, unknown>>
  if (typeof $bytes === 'string') return Buffer.from($bytes, 'base64')
  if (typeof $date === 'string') return new Date($date)
  if (typeof $integer === 'string') return BigInt($integer)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, headerValue(item)]))
}
