import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Person } from '../../../test/cli/run-redrive.ts'
import { type DeskInTest, deskWith, json } from '../../../test/control/desk.fixture.ts'
import { deadLetter } from '../../../test/control/letters.fixture.ts'
import { createConsumer } from '../../runtime/consumer.ts'
import { defineMessage } from '../../runtime/define-message.ts'
import { embedded } from '../../transports/embedded/embedded.ts'

/** Every test starts processes and makes files of its own, which a busy machine is slow at. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const letters = [1, 2, 3, 4].map((n) => deadLetter({ n, correlation: `c-${n}` }))
const Order = defineMessage<{ order: number; card?: string }>('order.placed')

interface Shop extends DeskInTest {
  readonly seen: { order: number; card?: string }[]
  /** Orders that fail once more. */
  readonly fails: Set<number>
  readonly broker: string
  onSeen: () => void
  /** Resolves when the consumer has seen so many: a replay may be over before. */
  saw(count: number): Promise<void>
}

/** A vault with four letters, and the consumer that they go back to. */
async function openShop(person?: Person): Promise<Shop> {
  const here = await deskWith({ letters, ...(person && { person }) })
  const file = join(here.folder, 'queue.db')
  const transport = embedded({ file })
  const consumer = createConsumer({ transport, service: 'orders', logger: false })
  const shop: Shop = {
    ...here,
    seen: [],
    fails: new Set(),
    broker: `shop=embedded:${file}`,
    onSeen() {},
    saw(count) {
      const { promise, resolve } = Promise.withResolvers<void>()
      shop.onSeen = () => {
        if (shop.seen.length >= count) resolve()
      }
      shop.onSeen()
      return promise
    },
  }
  consumer.channel('orders', { deadLetter: 'dlq.orders', breaker: false }).on(
    Order,
    async (order) => {
      shop.seen.push(order)
      shop.onSeen()
      if (shop.fails.has(order.order)) throw new Error('card declined')
    },
    { retry: { immediate: 0, delayed: { retries: 0 } } },
  )
  await consumer.start()
  onTestFinished(async () => {
    await consumer.stop()
    await transport.close()
  })
  return shop
}

describe('redrive replay', () => {
  test('shows before it asks what it would do, with counts, destinations and refusals', async () => {
    const here = await deskWith({ letters })
    await here.redrive('discard', '--letters', '4', '--yes')
    const { status, out } = await here.redrive('replay', 'channel:orders', '--dry-run', '--canary', '2', '--rate', '0.5')
    expect(status).toBe(0)
    expect(out).toContain('3 letters would be sent:\n  3 to shop / orders\n')
    expect(out).toContain('1 letter would not:\n  1 not open: they are on their way, settled or discarded (4)\n')
    expect(out).toContain('At most 0.5 a second, which takes 6s or more.')
    expect(out).toContain('First 2, then up to 5 times as many')
    expect(await json(here, 'replay', 'channel:orders', '--dry-run')).toMatchObject({
      letters: 3,
      refused: 1,
      refusals: [{ letter: 4, because: 'not-open' }],
    })
    expect(await here.redrive('replays')).toMatchObject({ status: 3, out: 'no replays\n' })
  })

  test('sends nothing when the answer is no, and needs to know where the broker is', async () => {
    const asked: string[] = []
    const here = await deskWith({ letters, person: { ask: async (question) => `${asked.push(question)}` } })
    expect(await here.redrive('replay', 'state:open')).toMatchObject({
      status: 2,
      err: expect.stringContaining('--connection shop=transport:where'),
    })
    const broker = `shop=embedded:${join(here.folder, 'queue.db')}`
    expect(await here.redrive('replay', 'state:open', '--connection', broker)).toMatchObject({ status: 5 })
    expect(asked).toEqual(['Send 4 letters? [y/N] '])
    expect(await here.redrive('replays')).toMatchObject({ status: 3 })
  })

  test('sends letters back, as edited, and says assumed where nobody reported', async () => {
    const shop = await openShop()
    shop.write('fix.json', [{ op: 'add', path: '/card', value: 'visa' }])
    await shop.redrive('edit', '2', '--json-patch', 'fix.json', '--yes')
    const { status, out } = await shop.redrive(
      ...[
        'replay',
        'state:open',
        '--connection',
        shop.broker,
        '--observe',
        '20ms',
        '--rate',
        '1000',
        '--yes',
        '--name',
        'with cards',
      ],
    )
    expect(out).toContain('4 letters would be sent, 1 of them as edited:')
    expect([status, out]).toEqual([0, expect.stringMatching(/assumed +4 \(have not come back, and nobody reported\)/)])
    expect(out).not.toContain('succeeded  ')
    await shop.saw(4)
    expect(shop.seen.toSorted((one, other) => one.order - other.order)).toEqual([
      { order: 1 },
      { order: 2, card: 'visa' },
      { order: 3 },
      { order: 4 },
    ])
    expect(await json(shop, 'replays')).toMatchObject({ replays: [{ id: 1, name: 'with cards', actor: 'ana', state: 'done' }] })
    expect((await shop.redrive('show', '2')).out).toContain('replay 1 to shop / orders: assumed')
  })

  test('stops by itself after the first that comes back, and ends with 1', async () => {
    const shop = await openShop()
    for (const order of [1, 2, 3, 4]) shop.fails.add(order)
    const { status, out } = await shop.redrive('replay', 'state:open', '--connection', shop.broker, '--observe', '1h', '--yes')
    expect(status).toBe(1)
    expect(out).toMatch(/state +stopped: 1 of 1 letters came back/)
    expect(out).toMatch(/planned +3 /)
    expect(shop.seen).toEqual([{ order: 1 }])
    const failures = await shop.redrive('replay-status', '1', '--failures', '--jsonl')
    expect([failures.status, JSON.parse(failures.out)]).toEqual([1, expect.objectContaining({ letter: 1, state: 'returned' })])
    expect(await shop.redrive('replay-status', '1', '--cancel')).toMatchObject({ status: 0 })
    expect(await json(shop, 'letters', 'state:open')).toMatchObject({ letters: [{ generation: 1 }, {}, {}, {}] })
  })

  test('is paused by Ctrl-C, and goes on when told to', async () => {
    const pressed = Promise.withResolvers<() => void>()
    const shop = await openShop({
      onInterrupt(listener) {
        pressed.resolve(listener)
        return () => {}
      },
    })
    shop.onSeen = () => void pressed.promise.then((interrupt) => interrupt())
    const slow = ['--connection', shop.broker, '--no-canary', '--rate', '0.001', '--observe', '20ms', '--yes']
    const { status, out } = await shop.redrive('replay', '--letters', '1,2', ...slow)
    expect([status, out]).toEqual([130, expect.stringMatching(/state +paused/)])
    expect(await shop.redrive('replay-status', '1', '--start')).toMatchObject({ status: 2 })
    expect(await shop.redrive('replay-status', '1', '--start', '--connection', shop.broker)).toMatchObject({ status: 4 })
    const resumed = await shop.redrive('replay-status', '1', '--resume', '--connection', shop.broker)
    expect([resumed.status, resumed.out]).toEqual([0, expect.stringMatching(/state +done/)])
    await shop.saw(2)
    expect(shop.seen).toEqual([{ order: 1 }, { order: 2 }])
  })

  test('that was prepared sends nothing before it is started', async () => {
    const shop = await openShop()
    const prepared = await shop.redrive('replay', '--letters', '3', '--prepare', '--yes', '--observe', '20ms', '--originals')
    expect([prepared.status, prepared.out]).toEqual([0, expect.stringMatching(/state +sealed/)])
    expect(shop.seen).toEqual([])
    expect(await shop.redrive('replay-status', '1', '--start', '--connection', shop.broker)).toMatchObject({ status: 0 })
    await shop.saw(1)
    expect(shop.seen).toEqual([{ order: 3 }])
  })

  test('takes vault and brokers from redrive.yaml, and letters that come back are found where it says', async () => {
    const shop = await openShop()
    shop.fails.add(1)
    const connections = `connections: { shop: { transport: embedded, file: ${join(shop.folder, 'queue.db')} } }`
    const sources = 'sources: [{ connection: shop, channel: dlq.orders, mode: collect }]'
    shop.write('control.yaml', `vault: vault.db\n${connections}\n${sources}\n`)
    const config = ['--config', 'control.yaml']
    const replayed = await shop.redrive('replay', '--letters', '1', '--observe', '1h', '--yes', ...config)
    expect([replayed.status, replayed.out]).toEqual([1, expect.stringMatching(/returned +1 /)])
    expect((await shop.redrive('sources', ...config)).out).toMatch(/shop +dlq\.orders +collect +0 +4 /)
  })

  test('goes elsewhere when told to', async () => {
    const here = await deskWith({ letters })
    const { out } = await here.redrive('replay', 'state:open', '--dry-run', '--to', 'other/a/b')
    expect(out).toContain('  4 to other / a/b\n')
    expect(await here.redrive('replay', 'state:open', '--dry-run', '--to', 'nowhere')).toMatchObject({ status: 2 })
  })

  test.each([
    [['--rate', '0'], 'rate is 0'],
    [['--rate', 'fast'], 'a number such as'],
    [['--growth', '1'], 'canary needs'],
    [['--tolerate', '2'], 'canary needs'],
    [['--observe', 'soon'], '--observe is "soon"'],
    [['--connection', 'shop'], 'name=transport:where'],
    [['--connection', 'shop=embeded:x'], 'Did you mean "embedded"'],
  ])('with %j is refused', async (args, told) => {
    const here = await deskWith({ letters })
    expect(await here.redrive('replay', 'state:open', '--yes', ...args)).toMatchObject({
      status: 2,
      err: expect.stringContaining(told),
    })
  })
})

test('redrive decide takes a verdict about what is unknown', async () => {
  const here = await deskWith({ letters })
  const lines = (await here.redrive('export', '--bodies')).out.trim().split('\n')
  here.write('sent.jsonl', lines.map((line) => JSON.stringify({ ...JSON.parse(line), state: 'sent' })).join('\n'))
  await here.redrive('import', 'sent.jsonl', '--vault', 'copy.db', '--create')
  const copy = ['--vault', 'copy.db']
  expect(await here.redrive('decide', 'state:unknown', '--yes', ...copy)).toMatchObject({ status: 2 })
  expect(await here.redrive('decide', '--letters', '1', '--arrived', '--yes', ...copy)).toMatchObject({ status: 0 })
  expect(await here.redrive('decide', 'state:unknown', '--lost', '--yes', ...copy)).toMatchObject({ out: '3 letters decided\n' })
  expect(
    (await json<{ letters: { state: string }[] }>(here, 'letters', ...copy)).letters.map(({ state }) => state).toSorted(),
  ).toEqual(['assumed', 'open', 'open', 'open'])
})
