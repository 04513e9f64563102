/** What a browser does, as far as signing in needs it: it keeps cookies by host and port, follows redirects and sends forms. */
export interface UserAgent {
  open(address: string): Promise<Page>
  /** Sends the only form of a page, with these fields filled in. */
  submit(page: Page, fields?: Readonly<Record<string, string>>): Promise<Page>
  /** As a script of the page at `origin` does. */
  ask(method: string, address: string, body?: object): Promise<Response>
  cookies(address: string): ReadonlyMap<string, string>
}

export interface Page {
  readonly address: string
  readonly status: number
  readonly text: string
  /** Every address on the way there. */
  readonly way: readonly string[]
}

const mostRedirects = 20

export function userAgent(): UserAgent {
  const jars = new Map<string, Map<string, string>>()

  function jarOf(address: string): Map<string, string> {
    const { host } = new URL(address)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    return jar
  }

  async function send(address: string, request: RequestInit): Promise<Response> {
    const jar = jarOf(address)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(request.headers as Record<string, string>), ...(cookie !== '' && { cookie }) }
    const response = await fetch(address, { ...request, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) keep(jar, line)
    return response
  }

  async function follow(address: string, request: RequestInit): Promise<Page> {
    const way = [address]
    let response = await send(address, request)
    for (let next = nextOf(response, address); next !== undefined; next = nextOf(response, way.at(-1) ?? address)) {
      if (way.push(next) > mostRedirects) throw new Error(`It leads nowhere: ${way.join(' → ')}`)
      response = await send(next, { headers: { accept: 'text/html' } })
    }
    return { address: way.at(-1) ?? address, status: response.status, text: await response.text(), way }
  }

  return {
    open: (address) => follow(address, { headers: { accept: 'text/html' } }),
    submit(page, fields = {}) {
      const [, action = ''] = /<form[^>]*action="([^"]+)"/.exec(page.text) ?? []
      if (action === '') throw new Error(`There is no form on ${page.address}: ${page.text}`)
      const body = new URLSearchParams({ ...hiddenFields(page.text), ...fields }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
      return follow(new URL(action, page.address).href, { method: 'POST', headers, body })
    },
    ask(method, address, body) {
      const { origin } = new URL(address)
      const headers = { origin, 'sec-fetch-site': 'same-origin', ...(body && { 'content-type': 'application/json' }) }
      return send(address, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    },
    cookies: (address) => new Map(jarOf(address)),
  }
}

function nextOf(response: Response, from: string): string | undefined {
  const location = response.headers.get('location')
  return response.status >= 300 && response.status < 400 && location !== null ? new URL(location, from).href : undefined
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  const isOver = /expires=Thu, 01 Jan 1970|max-age=0/i.test(line)
  if (isOver) jar.delete(name)
  else jar.set(name, value)
}

function hiddenFields(html: string): Record<string, string> {
  const inputs = [...html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => input)
  return Object.fromEntries(inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]))
}

function attribute(tag: string, name: string): string {
  return new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
}
