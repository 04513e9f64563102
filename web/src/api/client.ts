import type { Api } from './api-types.ts'

export type Route = keyof Api
export type Answer<R extends Route> = Api[R]['answer']

type Taken<R extends Route> = Omit<Api[R], 'answer'>
/** What a request takes; what has only optional parts may be left out. */
type Asked<R extends Route> = (Record<never, never> extends Taken<R> ? Partial<Taken<R>> : Taken<R>) & {
  readonly ifMatch?: string | undefined
}

/** What the server says when it does not do something, with a code of docs/errors.md. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly title: string

  constructor({ status, code, title, detail }: { status: number; code: string; title: string; detail: string }) {
    super(detail)
    this.name = 'ApiProblem'
    this.status = status
    this.code = code
    this.title = title
  }
}

const root = '/api/v1'
/** When no answer came, the same request is sent again under the same key, and the server does it once. */
const tries = 3

let onSignedOut: () => void = () => undefined

/** Called whenever the server says that nobody is signed in. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener
}

export async function call<R extends Route>(route: R, asked: Asked<R>): Promise<Answer<R>> {
  return (await callTagged(route, asked)).answer
}

/** The same with the tag by which a change says what it has seen. */
export async function callTagged<R extends Route>(
  route: R,
  asked: Asked<R>,
): Promise<{ readonly answer: Answer<R>; readonly etag: string | undefined }> {
  const [method = 'GET', path = ''] = route.split(' ')
  const { query = {}, body, path: parameters = {}, ifMatch } = asked as Parts
  const response = await send(addressOf(path, parameters, query), {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && { 'idempotency-key': crypto.randomUUID() }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (response.status === 401 && route !== 'POST /session' && route !== 'POST /setup') onSignedOut()
  if (!response.ok) throw await problemOf(response)
  const answer = response.status === 204 ? undefined : await response.json()
  return { answer: answer as Answer<R>, etag: response.headers.get('etag') ?? undefined }
}

interface Parts {
  readonly query?: Readonly<Record<string, unknown>>
  readonly path?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly ifMatch?: string | undefined
}

export function addressOf(
  path: string,
  parameters: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters[name])))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `${root}${filled}${search && `?${search}`}`
}

async function send(address: string, request: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(address, request)
    } catch (error) {
      if (attempt === tries) throw error
    }
  }
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    return new ApiProblem((await response.json()) as ConstructorParameters<typeof ApiProblem>[0])
  } catch {
    const title = 'The server gave an answer that is none'
    return new ApiProblem({ status: response.status, code: 'internal', title, detail: response.statusText })
  }
}
