import { type ErrorCode, errorCodes, RedriveError } from '../../core/errors.ts'
import type { NewId } from '../../core/ports.ts'
import { apiOf } from '../../core/server-url.ts'

export interface ServerAddress {
  readonly url: string
  readonly token: string
  readonly newId: NewId
}

/** The API of a control plane. Everything rejects with the `RedriveError` that the server tells, or with `unreachable`. */
export interface HttpClient {
  get<T>(path: string, query?: Query): Promise<T>
  send<T>(method: 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<T>
  etagOf(path: string): Promise<string>
  bytes(path: string): Promise<Uint8Array>
}

type Query = Readonly<Record<string, string | number | undefined>>

const longestWait = 60_000

export function createHttpClient({ url, token, newId }: ServerAddress): HttpClient {
  const base = apiOf(url, '--server')

  async function ask(path: string, options: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, ...(options.headers as Record<string, string> | undefined) }
    const response = await fetch(`${base}${path}`, {
      ...options,
      headers,
      // A token goes to the server that it was meant for, and to no other.
      redirect: 'error',
      signal: AbortSignal.timeout(longestWait),
    }).catch((cause) => {
      throw new RedriveError('unreachable', `The server at ${new URL(base).host} cannot be reached.`, { cause })
    })
    if (!response.ok) throw await problemIn(response)
    return response
  }

  return {
    async get<T>(path: string, query: Query = {}) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
      return (await (await ask(search.size === 0 ? path : `${path}?${search}`)).json()) as T
    },
    async send<T>(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
      const json = body === undefined ? {} : { body: JSON.stringify(body) }
      const type = body === undefined ? {} : { 'content-type': 'application/json' }
      const response = await ask(path, { method, ...json, headers: { ...headers, ...type, 'idempotency-key': newId() } })
      return (response.status === 204 ? undefined : await response.json()) as T
    },
    etagOf: async (path) => (await ask(path)).headers.get('etag') ?? '',
    bytes: async (path) => new Uint8Array(await (await ask(path)).arrayBuffer()),
  }
}

async function problemIn(response: Response): Promise<RedriveError> {
  const problem = (await response.json().catch(() => ({}))) as { readonly code?: string; readonly detail?: string }
  const code = problem.code !== undefined && Object.hasOwn(errorCodes, problem.code) ? (problem.code as ErrorCode) : 'unreachable'
  return new RedriveError(code, problem.detail ?? `The server answered with ${response.status} and did not say why.`)
}
