import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { api, inject, world } from './server.fixture.ts'

describe('hostile input', () => {
  test('case 34: JSON that means to change prototypes is refused and changes none', async () => {
    const { person, server } = await world()
    const { cookie } = await person()
    const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const bodies = [
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"isAdmin":true}}}',
      '{"selection":{"filter":"x","__proto__":{"isAdmin":true}}}',
      '{"selection":{"letters":[1],"constructor":{"prototype":{}}}}',
    ]
    for (const payload of bodies) {
      for (const url of ['/letters/discard', '/users', '/tokens', '/replays', '/session', '/setup']) {
        const answer = await inject(server, { method: 'POST', url: `${api}${url}`, payload, headers })
        expect(answer.statusCode, `${url} ${payload}`).toBe(400)
      }
    }
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })

  test('is a mistake of the client, and never of the server', async () => {
    const { person, problems } = await world()
    const { ask } = await person()
    const requests: [string, string, object?][] = [
      ['GET', '/letters/abc'],
      ['GET', '/letters/-1'],
      ['GET', '/letters/1.5'],
      ['GET', '/letters/99999999999999999999'],
      ['GET', '/letters?limit=0'],
      ['GET', '/letters?limit=1e9'],
      ['GET', '/letters?cursor=%00'],
      ['GET', `/letters?cursor=${Buffer.from('{"a":1}').toString('base64url')}`],
      ['GET', `/letters?filter=${'('.repeat(1500)}`],
      ['GET', '/causes?state=id;DROP TABLE letters'],
      ['GET', '/replays/1/ledger?state=x'],
      ['GET', '/audit/verification?seq=1'],
      ['GET', '/audit?limit=x'],
      ['POST', '/letters/discard', { selection: { letters: [] } }],
      ['POST', '/letters/discard', { selection: { letters: ['1'], filter: 'x' } }],
      ['POST', '/letters/discard', []],
      ['POST', '/replays', { name: 'x', selection: { filter: '' }, rate: -1 }],
      ['POST', '/replays', { name: 'x', selection: { filter: '' }, canary: { first: 0 } }],
      ['POST', '/users', { name: 'UPPER', role: 'viewer' }],
      ['POST', '/users', { name: 'x\r\nSet-Cookie: a=b', role: 'viewer' }],
      ['POST', '/users', { name: 'x', role: 'superuser' }],
      ['PUT', '/causes/1/judgement', { state: 'gone' }],
    ]
    for (const [method, url, body] of requests) {
      const answer = await ask(method, url, body)
      expect(answer.statusCode, `${method} ${url} ${answer.body}`).toBe(400)
      expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    }
    expect(problems).toEqual([])
  })

  test('cases 35 and 38: paths lead nowhere else, and headers stay whole', async () => {
    const { person } = await world()
    const { ask } = await person({ reveal: true })
    for (const path of [
      '/letters/..%2f..%2fetc/passwd',
      '/letters/..%5c',
      '/letters/%00',
      '/letters/%zz',
      '/....//x',
      '/letters/1%0d%0aSet-Cookie:x=1/raw',
    ]) {
      const answer = await ask('GET', path)
      expect([400, 404], `${path} ${answer.statusCode}`).toContain(answer.statusCode)
      expect(answer.headers['set-cookie']).toBeUndefined()
      expect(answer.json()).toHaveProperty('code')
    }
  })

  test('cases 37 and 29: what acts on a terminal is written visibly into the audit trail', async () => {
    const { person, audit } = await world()
    const { ask } = await person({ role: 'viewer' })
    await ask('POST', '/letters/%1b%5b2J/edits', {})
    const [row] = await audit()
    expect(row?.object).not.toMatch(/\p{Cc}/u)
  })

  test('case 30: a huge body is cut on the screen, and whole as an attachment', async () => {
    const { person, vault } = await world()
    const { deadLetter, keep } = await import('../control/letters.fixture.ts')
    const [long = 0] = await keep(vault, 1, [deadLetter({ n: 77, body: 'x'.repeat(3_000_000) })])
    const [deep = 0] = await keep(vault, 1, [deadLetter({ n: 78, body: '['.repeat(100_000) + ']'.repeat(100_000) })])
    const { ask } = await person({ reveal: true })
    expect((await ask('GET', `/letters/${long}/content`)).json().body).toEqual({ kind: 'hidden', because: 'too-large' })
    const shown = (await ask('GET', `/letters/${long}/content?reveal=true`)).json().body
    expect([shown.kind, shown.isCut, shown.text.length]).toEqual(['text', true, 256 * 1024])
    expect((await ask('GET', `/letters/${long}/raw`)).rawPayload.byteLength).toBe(3_000_000)
    expect((await ask('GET', `/letters/${deep}/content`)).statusCode).toBe(200)
  })

  test('an error that nobody foresaw tells the operator, and the client nothing', async () => {
    const made = await world()
    const { ask } = await made.person()
    const secret = 'the payload of somebody'
    const original = made.vault.read
    Object.assign(made.vault, {
      read: (name: string, input: unknown) =>
        name === 'listUsers' ? Promise.reject(new TypeError(secret)) : original(name as never, input as never),
    })
    const answer = await ask('GET', '/users')
    expect(answer.json()).toMatchObject({ status: 500, code: 'internal' })
    expect(answer.body).not.toContain(secret)
    expect(made.problems).toMatchObject([{ message: secret }])
  })
})

describe('wrong methods', () => {
  test('are answered with 405 and what is allowed, at every address', async () => {
    const { server } = await world()
    for (const [url, routes] of Map.groupBy(server.routes, (route) => route.url)) {
      const allowed = [...new Set(routes.map(({ method }) => method))].toSorted()
      const method = ['PATCH', 'DELETE', 'PUT', 'TRACE'].find((name) => !allowed.includes(name)) ?? ''
      const answer = await inject(server, {
        method,
        url: url.replace(':id', '1'),
        headers: { 'content-type': 'text/plain' },
        payload: 'x',
      })
      expect([answer.statusCode, answer.headers['allow']], url).toEqual([405, allowed.join(', ')])
    }
    expect((await inject(server, { method: 'GET', url: '/nothing' })).json()).toMatchObject({ status: 404, code: 'not-found' })
  })
})

describe('case 53: on a real socket', () => {
  async function listening(): Promise<{ port: number; url: string }> {
    const { server } = await world()
    const url = await server.listen()
    return { url, port: Number(new URL(url).port) }
  }

  /** Sends bytes and gives the first line of the answer. */
  function firstLine(port: number, ...parts: readonly string[]): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part)
    })
    onTestFinished(() => void socket.destroy())
    socket.on('error', reject)
    socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''))
    return promise
  }

  test('headers that are too large are refused', async () => {
    const { port } = await listening()
    const header = `x: ${'y'.repeat(20_000)}\r\n`
    expect(await firstLine(port, `GET /healthz HTTP/1.1\r\nhost: x\r\n${header}\r\n`)).toContain('431')
  })

  test('a URL that is too long is refused', async () => {
    const { port } = await listening()
    expect(await firstLine(port, `GET /${'y'.repeat(65_536)} HTTP/1.1\r\n`)).toMatch(/431|414/)
  })

  test('twenty thousand headers are refused', async () => {
    const { port } = await listening()
    const headers = Array.from({ length: 20_000 }, (_, n) => `x-${n}: y\r\n`).join('')
    expect(await firstLine(port, `GET /healthz HTTP/1.1\r\nhost: x\r\n${headers}\r\n`)).toContain('431')
  })

  test('a body that says that it is too large is refused before it is sent', async () => {
    const { port } = await listening()
    const head = `POST ${api}/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000000\r\n\r\n`
    expect(await firstLine(port, head)).toContain('413')
  })

  test('a body without an end is refused when it has become too large', async () => {
    const { port } = await listening()
    const head = `POST ${api}/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`
    const chunk = `10000\r\n${'"'.padEnd(0x10000, 'a')}\r\n`
    expect(await firstLine(port, head, ...Array.from({ length: 20 }, () => chunk))).toContain('413')
  })

  test('whoever does not finish the headers is let go, while others are served', async () => {
    const { port, url } = await listening()
    const slow = Array.from({ length: 50 }, () => firstLine(port, 'GET /healthz HTTP/1.1\r\nhost: x\r\n'))
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    for (const line of await Promise.all(slow)) expect(line).toContain('408')
  })

  test('what is no HTTP is told so', async () => {
    const { port } = await listening()
    expect(await firstLine(port, 'hello\r\n\r\n')).toContain('400')
  })
})
