import { describe, expect, onTestFinished, test } from 'vitest'
import { api, type Person, type World, world } from './server.fixture.ts'

interface Stream {
  readonly status: number
  readonly headers: Headers
  /** Reads until the text so far matches. */
  until(pattern: RegExp): Promise<string>
  /** Reads to the end. */
  rest(): Promise<string>
  leave(): void
}

async function openStream(url: string, { cookie }: Pick<Person, 'cookie'>, lastEventId?: string): Promise<Stream> {
  return openStreamWith(url, { cookie }, lastEventId)
}

async function openStreamWith(url: string, credentials: Record<string, string>, lastEventId?: string): Promise<Stream> {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const headers = { ...credentials, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
  const answer = await fetch(`${url}${api}/events`, { headers, signal: leaving.signal })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const more = async (): Promise<boolean> => {
    const { done, value = '' } = (await reader?.read()) ?? { done: true }
    text += value
    return !done
  }
  return {
    status: answer.status,
    headers: answer.headers,
    async until(pattern) {
      while (!pattern.test(text)) if (!(await more())) throw new Error(`The stream ended after: ${text}`)
      return text
    },
    async rest() {
      while (await more());
      return text
    },
    leave: () => leaving.abort(),
  }
}

const letters = (source: number, n: number) => ({ kind: 'letters' as const, source, letters: n })

async function listening(grant: Parameters<World['person']>[0] = {}): Promise<World & { url: string; someone: Person }> {
  const made = await world()
  return { ...made, url: await made.server.listen(), someone: await made.person(grant) }
}

describe('live events', () => {
  test('come as they happen, and say what to look at again', async () => {
    const { url, someone, tell } = await listening()
    const stream = await openStream(url, someone)
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    await stream.until(/retry: 3000\n\n/)
    tell(letters(1, 5))
    tell({ kind: 'cause', cause: 7 })
    const text = await stream.until(/event: cause/)
    expect(text).toMatch(/id: \w+-1\nevent: letters\ndata: {"source":1,"letters":5}\n\n/)
  })

  test('go on where a client lost them', async () => {
    const { url, someone, tell } = await listening()
    const first = await openStream(url, someone)
    await first.until(/retry/)
    tell(letters(1, 1))
    const seen = /id: (\S+)/.exec(await first.until(/data.*\n\n/))?.[1] ?? ''
    first.leave()
    for (const n of [2, 3]) tell(letters(1, n))
    const second = await openStream(url, someone, seen)
    const text = await second.until(/"letters":3/)
    expect([...text.matchAll(/"letters":(\d)/g)].map(([, n]) => n)).toEqual(['2', '3'])
    tell(letters(1, 4))
    await second.until(/"letters":4/)
  })

  test.each(['another-1', 'nonsense', '-5'])('begin with a reset for an id that means nothing here: "%s"', async (id) => {
    const { url, someone, tell } = await listening()
    tell(letters(1, 1))
    const stream = await openStream(url, someone, id)
    expect(await stream.until(/event.*\ndata.*\n\n/)).toMatch(/id: \w+-1\nevent: reset\ndata: {}\n\n/)
  })

  test('begin with a reset when too much was missed', async () => {
    const { url, someone, tell } = await listening()
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    tell(letters(1, 0))
    const seen = /id: (\S+)/.exec(await stream.until(/data.*\n\n/))?.[1] ?? ''
    for (let n = 0; n < 1000; n++) tell(letters(1, n))
    expect(await (await openStream(url, someone, seen)).until(/"letters":999/)).not.toContain('reset')
    tell(letters(1, 1000))
    expect(await (await openStream(url, someone, seen)).until(/event/)).toContain('reset')
  })

  test('begin with a reset when what was missed is more than may pile up for one client', async () => {
    const { url, someone, tell } = await listening()
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    tell(letters(1, 0))
    const seen = /id: (\S+)/.exec(await stream.until(/data.*\n\n/))?.[1] ?? ''
    stream.leave()
    for (let n = 0; n < 600; n++) tell({ kind: 'problem', source: 'x'.repeat(2000), code: 'unreachable' })
    const again = await openStream(url, someone, seen)
    expect(await again.until(/event/)).toMatch(/id: \w+-601\nevent: reset\ndata: {}\n\n/)
    tell(letters(1, 7))
    await again.until(/"letters":7/)
  })

  test('say to everybody that something was missed, also to those who were given some sources', async () => {
    const { url, someone, tell } = await listening({ role: 'viewer', sources: ['shop/dlq.orders'] })
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    tell({ kind: 'reset' })
    expect(await stream.until(/event.*\ndata.*\n\n/)).toMatch(/event: reset\ndata: {}\n\n/)
  })

  test('case 19: are those of the sources that somebody was given', async () => {
    const { url, someone, tell } = await listening({ role: 'viewer', sources: ['shop/dlq.orders'] })
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    tell(letters(2, 22))
    tell({ kind: 'problem', source: 'dlq.invoices', code: 'unreachable' })
    tell({ kind: 'cause', cause: 7 })
    tell(letters(1, 11))
    const text = await stream.until(/"letters":11/)
    expect([...text.matchAll(/event: (\w+)/g)]).toHaveLength(1)
  })

  test('case 19: tell how many letters of several sources changed only to those who were given all of them', async () => {
    const limited = await listening({ role: 'viewer', sources: ['shop/dlq.orders'] })
    const stream = await openStream(limited.url, limited.someone)
    await stream.until(/retry/)
    limited.tell({ kind: 'letters', letters: 77 })
    expect(await stream.until(/data.*\n\n/)).toContain('data: {"letters":0}')
    const free = await listening()
    const other = await openStream(free.url, free.someone)
    await other.until(/retry/)
    free.tell({ kind: 'letters', letters: 77 })
    expect(await other.until(/data.*\n\n/)).toContain('data: {"letters":77}')
  })

  test('show that they live, and end with the session', async () => {
    const { url, someone, clock, vault } = await listening()
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    await clock.advance(15_000)
    await stream.until(/: here\n\n/)
    await vault.write('setPassword', { id: someone.user.id, password: 'x' })
    await clock.advance(15_000)
    expect((await stream.rest()).match(/: here/g)).toHaveLength(1)
  })

  test('go on for a program that has a token, and end when it is revoked', async () => {
    const { url, someone, clock } = await listening()
    const { token, secret } = (await someone.ask('POST', '/tokens', { name: 'x', role: 'viewer' })).json()
    const stream = await openStreamWith(url, { authorization: `Bearer ${secret}` })
    await stream.until(/retry/)
    await clock.advance(15_000)
    await stream.until(/: here\n\n/)
    await someone.ask('DELETE', `/tokens/${token.id}`)
    await clock.advance(15_000)
    expect((await stream.rest()).match(/: here/g)).toHaveLength(1)
  })

  test('end for a program whose person may not look any more', async () => {
    const { url, person, clock, vault } = await listening()
    await vault.write('setPassword', { id: (await person()).user.id, password: 'x' })
    const { ask, user } = await person({ role: 'operator' })
    const { secret } = (await ask('POST', '/tokens', { name: 'x', role: 'operator' })).json()
    const stream = await openStreamWith(url, { authorization: `Bearer ${secret}` })
    await stream.until(/retry/)
    await clock.advance(15_000)
    await stream.until(/: here\n\n/)
    await vault.write('changeUser', { id: user.id, version: user.version, role: 'consumer' })
    await clock.advance(15_000)
    expect((await stream.rest()).match(/: here/g)).toHaveLength(1)
  })

  test('end when nobody can say whether they may go on', async () => {
    const { url, someone, clock, vault } = await listening()
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    await vault.close()
    await clock.advance(15_000)
    expect(await stream.rest()).not.toContain('here')
  })

  test('do not keep a session alive that nobody uses', async () => {
    const { url, someone, clock } = await listening()
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    let ended = false
    const rest = stream.rest().then(() => {
      ended = true
    })
    for (let beats = 0; beats < 1000 && !ended; beats++) {
      await clock.advance(15_000)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await rest
    expect(clock.now() - someone.user.madeAt).toBeGreaterThanOrEqual(30 * 60_000)
  })

  test('are not for strangers, and twenty streams are enough for one person', async () => {
    const { url, someone } = await listening()
    expect((await openStream(url, { cookie: 'redrive=x' })).status).toBe(401)
    for (let n = 0; n < 20; n++) expect((await openStream(url, someone)).status).toBe(200)
    const refused = await openStream(url, someone)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
  })

  test('end when the server closes', async () => {
    const { url, someone, server } = await listening()
    const stream = await openStream(url, someone)
    await stream.until(/retry/)
    const [text] = await Promise.all([stream.rest(), server.close()])
    expect(text).toContain('retry')
  })
})
