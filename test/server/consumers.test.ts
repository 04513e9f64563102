import type { LightMyRequestResponse as Response } from 'fastify'
import { describe, expect, test } from 'vitest'
import type { ConsumerReport } from '../../src/core/consumer-report.ts'
import { sourceIn } from '../control/letters.fixture.ts'
import { channelReport, report } from '../control/reports.fixture.ts'
import { api, inject, type World, world } from './server.fixture.ts'

const shopOrders = { service: 'shop', channel: 'orders' }

interface Fleet extends World {
  /** As a consumer with a token of its own. */
  readonly tell: World['tell']
  beat(changes?: Partial<ConsumerReport>): Promise<Response>
  readonly token: string
}

async function fleet(sources: readonly string[] = ['*']): Promise<Fleet> {
  const made = await world()
  const admin = await made.person({ role: 'admin', name: 'root' })
  const issued = await admin.ask('POST', '/tokens', { name: 'shop', role: 'consumer', sources })
  const token: string = issued.json().secret
  let number = 0
  return {
    ...made,
    token,
    beat: (changes) =>
      inject(made.server, {
        ...{ method: 'POST', url: `${api}/consumers/heartbeat`, headers: { authorization: `Bearer ${token}` } },
        body: report({ number: ++number, ...changes }),
      }),
  }
}

describe('a consumer', () => {
  test('that reports is listed, with its channels as they are', async () => {
    const { beat, person } = await fleet()
    expect((await beat()).json()).toEqual({ orders: [] })
    const { ask } = await person({ role: 'viewer' })
    expect((await ask('GET', '/consumers')).json().consumers).toMatchObject([
      {
        ...{ service: 'shop', instance: 'shop-0', version: '1.4.0', state: 'reporting', hasAbandonedSpool: false },
        channels: [{ name: 'orders', state: 'consuming', lastState: 'consuming', order: null, counts: { received: 3 } }],
      },
    ])
  })

  test('is found on one of the pages, each once, in an order that does not change', async () => {
    const { beat, person } = await fleet()
    const instances = ['shop-1', 'shop-10', 'shop-2', 'shop-3', 'shop-4']
    for (const instance of [...instances].reverse()) await beat({ instance, run: `run of ${instance}` })
    const { ask } = await person({ role: 'viewer' })
    const found: string[][] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const page: { consumers: { instance: string }[]; next?: string } = (
        await ask('GET', `/consumers?limit=2${next && `&cursor=${next}`}`)
      ).json()
      found.push(page.consumers.map(({ instance }) => instance))
      next = page.next
    }
    expect(found).toEqual([['shop-1', 'shop-10'], ['shop-2', 'shop-3'], ['shop-4']])
    expect((await ask('GET', '/consumers?cursor=nonsense')).statusCode).toBe(400)
  })

  test('has a token that opens nothing else', async () => {
    const { beat, server, token } = await fleet()
    await beat()
    for (const [method, url] of [
      ['GET', '/consumers'],
      ['GET', '/letters'],
      ['GET', '/causes'],
      ['GET', '/sources'],
      ['GET', '/events'],
      ['POST', '/consumers/pause'],
      ['POST', '/replays'],
    ] as const) {
      const answer = await inject(server, { method, url: `${api}${url}`, headers: { authorization: `Bearer ${token}` } })
      expect([url, answer.statusCode]).toEqual([url, 403])
    }
  })

  test('that misses three reports is unknown, and so are its channels: neither gone nor fine', async () => {
    const { beat, clock, person } = await fleet()
    const { ask } = await person({ role: 'viewer' })
    const state = async (): Promise<unknown> => {
      const [{ state: own, channels }] = (await ask('GET', '/consumers')).json().consumers
      return [own, channels[0].state, channels[0].lastState]
    }
    await beat()
    await clock.advance(15_000)
    expect(await state()).toEqual(['reporting', 'consuming', 'consuming'])
    await clock.advance(1)
    expect(await state()).toEqual(['unknown', 'unknown', 'consuming'])
    await beat()
    expect(await state()).toEqual(['reporting', 'consuming', 'consuming'])
  })

  test('that stopped in order is stopped; with letters on its disk, it has left them behind', async () => {
    const { beat, person } = await fleet()
    const channels = [channelReport({ state: 'stopped', spooled: 4 })]
    await beat({ isLast: true, channels })
    const { ask } = await person({ role: 'viewer' })
    expect((await ask('GET', '/consumers')).json().consumers).toMatchObject([
      { state: 'stopped', spooled: 4, hasAbandonedSpool: true, channels: [{ state: 'stopped' }] },
    ])
  })

  test('that reports is not forgotten; one that vanished is, by an operator, in the audit trail', async () => {
    const { beat, clock, person, audit } = await fleet()
    await beat({ channels: [channelReport({ spooled: 4 })] })
    const { ask } = await person({ role: 'operator', name: 'ola' })
    const [{ id }] = (await ask('GET', '/consumers')).json().consumers
    expect((await ask('POST', `/consumers/${id}/forget`)).statusCode).toBe(409)
    await clock.advance(60_000)
    expect((await ask('POST', `/consumers/${id}/forget`)).statusCode).toBe(204)
    expect((await ask('GET', '/consumers')).json().consumers).toEqual([])
    const noted = (await audit()).filter(({ action, result }) => action === 'consumers.forget' && result !== 'attempted')
    expect(noted.map(({ actor, result }) => `${actor} ${result}`)).toEqual(['ola failed', 'ola done'])
  })

  test.each([
    ['no service', { service: '' }],
    ['a service without end', { service: 'x'.repeat(201) }],
    ['more channels than there are', { channels: Array.from({ length: 201 }, () => channelReport()) }],
    ['a count below 0', { channels: [channelReport({ held: -1 })] }],
    ['a pause of a year between reports', { every: 365 * 86_400_000 }],
  ])('with %s is refused', async (_, changes) => {
    const { beat } = await fleet()
    expect((await beat(changes)).json()).toMatchObject({ status: 400, code: 'bad-request' })
  })

  test('leaves no rows in the audit trail by reporting', async () => {
    const { beat, audit } = await fleet()
    const before = (await audit()).length
    for (let beats = 0; beats < 5; beats++) await beat()
    expect(await audit()).toHaveLength(before)
  })
})

describe('an operator', () => {
  test('pauses a channel, which its consumers hear with their next report, and resumes it', async () => {
    const { beat, person, audit } = await fleet()
    await beat()
    const { ask } = await person({ role: 'operator', name: 'ola' })
    const paused = await ask('POST', '/consumers/pause', shopOrders)
    expect(paused.json()).toMatchObject({ ...shopOrders, order: 'pause', actor: 'ola' })
    const { orders } = (await beat()).json()
    expect(orders).toMatchObject([{ channel: 'orders', order: 'pause' }])
    await ask('POST', '/consumers/resume', shopOrders)
    const [resume] = (await beat()).json().orders
    expect(resume.order).toBe('resume')
    expect(resume.number).toBeGreaterThan(orders[0].number)
    const noted = (await audit()).filter(({ action }) => /^consumers\.(pause|resume)$/.test(action))
    expect(noted.map(({ actor, action, result }) => `${actor} ${action} ${result}`)).toEqual([
      'ola consumers.pause attempted',
      'ola consumers.pause done',
      'ola consumers.resume attempted',
      'ola consumers.resume done',
    ])
    expect(JSON.parse(noted[0]?.detail ?? '')).toMatchObject(shopOrders)
  })

  test('who pauses twice has paused once', async () => {
    const { beat, person } = await fleet()
    await beat()
    const first = await (await person({ role: 'operator', name: 'ola' })).ask('POST', '/consumers/pause', shopOrders)
    const second = await (await person({ role: 'operator', name: 'bo' })).ask('POST', '/consumers/pause', shopOrders)
    expect(second.json()).toEqual(first.json())
  })

  test('hears that nobody has such a channel', async () => {
    const { beat, person } = await fleet()
    await beat()
    const { ask } = await person({ role: 'operator' })
    for (const wrong of [
      { ...shopOrders, channel: 'order' },
      { ...shopOrders, service: 'shops' },
    ]) {
      expect((await ask('POST', '/consumers/pause', wrong)).json()).toMatchObject({ status: 404, code: 'not-found' })
    }
  })

  test('of some sources sees and steers the channels whose letters lie there, and no others', async () => {
    const { beat, person } = await fleet()
    await beat({ channels: [channelReport(), channelReport({ name: 'invoices', deadLetter: 'dlq.invoices' })] })
    await beat({ service: 'reports', instance: 'r', channels: [channelReport({ name: 'reports', deadLetter: null })] })
    const { ask } = await person({ role: 'operator', sources: ['shop/dlq.orders'] })
    const { consumers } = (await ask('GET', '/consumers')).json()
    expect(consumers).toMatchObject([{ service: 'shop', channels: [{ name: 'orders' }] }])
    expect(consumers[0].channels).toHaveLength(1)
    expect((await ask('POST', '/consumers/pause', shopOrders)).statusCode).toBe(200)
    for (const other of [
      { service: 'shop', channel: 'invoices' },
      { service: 'reports', channel: 'reports' },
    ]) {
      expect((await ask('POST', '/consumers/pause', other)).json()).toMatchObject({ status: 403, code: 'not-allowed' })
    }
  })

  test('of some sources steers no channel that may be of another connection, and forgets no consumer that has others', async () => {
    const { beat, clock, person, vault } = await fleet()
    await sourceIn(vault, 'dlq.refunds', 'staging')
    await sourceIn(vault, 'dlq.refunds', 'production')
    await sourceIn(vault, 'dlq.trials', 'staging')
    const [refunds, trials] = ['refunds', 'trials'].map((name) => channelReport({ name, deadLetter: `dlq.${name}` }))
    await beat({ channels: [channelReport(), ...(refunds ? [refunds] : [])] })
    await beat({ service: 'lab', instance: 'lab-0', channels: trials ? [trials] : [] })
    await clock.advance(60_000)
    const admin = await person()
    const { consumers } = (await admin.ask('GET', '/consumers')).json()
    const idOf = (service: string): number => consumers.find((each: { service: string }) => each.service === service).id
    const { ask } = await person({ role: 'operator', sources: ['staging/*'] })
    for (const verb of ['pause', 'resume']) {
      const refused = await ask('POST', `/consumers/${verb}`, { service: 'shop', channel: 'refunds' })
      expect(refused.json()).toMatchObject({ status: 403, code: 'not-allowed' })
      expect((await ask('POST', `/consumers/${verb}`, { service: 'lab', channel: 'trials' })).statusCode).toBe(200)
    }
    expect((await ask('POST', `/consumers/${idOf('shop')}/forget`)).statusCode).toBe(403)
    expect((await ask('POST', `/consumers/${idOf('lab')}/forget`)).statusCode).toBe(204)
  })

  test('of some sources sees no consumer that may be of another connection; its token says which one it is of', async () => {
    const { beat, person, vault } = await fleet()
    for (const connection of ['staging', 'production']) await sourceIn(vault, 'dlq.refunds', connection)
    const channels = [channelReport({ name: 'refunds', deadLetter: 'dlq.refunds' })]
    const seenBy = async (...sources: readonly string[]): Promise<readonly string[]> => {
      const { consumers } = (await (await person({ role: 'viewer', sources })).ask('GET', '/consumers')).json()
      return consumers.map(({ service }: { service: string }) => service)
    }
    await beat({ service: 'anywhere', channels })
    for (const connection of ['staging', 'production']) {
      const told = report({ service: connection, channels })
      await vault.write('keepReport', { report: told, scopes: [['*'], [`${connection}/refunds`]], now: 1 })
    }
    await vault.write('keepReport', { report: report({ service: 'liar', channels }), scopes: [['shop/*']], now: 1 })
    expect(await seenBy('staging/*')).toEqual(['staging'])
    expect(await seenBy('production/*')).toEqual(['production'])
    expect(await seenBy('*/dlq.refunds')).toEqual(['anywhere', 'production', 'staging'])
    expect(await seenBy('*')).toEqual(['anywhere', 'liar', 'production', 'staging'])
  })
})

describe('a token of some sources', () => {
  test('says nothing about a consumer of others whose name it knows', async () => {
    const { beat, vault, person, audit } = await fleet(['shop/invoices'])
    await vault.write('keepReport', { report: report(), scopes: [['shop/orders']], now: 1 })
    const forged = await beat({ run: 'run-2', channels: [] })
    expect(forged.json()).toMatchObject({ status: 403, code: 'not-allowed' })
    const { consumers } = (await (await person()).ask('GET', '/consumers')).json()
    expect(consumers).toMatchObject([{ service: 'shop', channels: [{ name: 'orders' }] }])
    expect(consumers[0]).not.toHaveProperty('scopes')
    expect((await audit()).map(({ action }) => action)).toContain('consumers.report')
    expect((await beat({ instance: 'shop-1', run: 'run-3' })).statusCode).toBe(200)
  })
})
