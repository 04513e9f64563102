import { describe, expect, test } from 'vitest'
import { RedriveError } from '../../src/core/errors.ts'
import { textHeader } from '../../src/core/headers.ts'
import { redriveHeaders } from '../../src/core/letter.ts'
import type { Message } from '../../src/core/message.ts'
import type { Transport } from '../../src/transports/seam.ts'
import { ended, Order, openShop, replayAll, type Shop, wishes } from './shop.fixture.ts'

describe('a replay with a canary', () => {
  test('sends everything when the handler works, in growing steps', async () => {
    const shop = await openShop()
    await shop.orders(40)
    shop.seen.length = 0
    shop.handle = () => {}
    const replay = await replayAll(shop)
    const sent: number[] = []
    shop.plane.onChange((change) => {
      if (change.kind === 'replay' && change.counts.sent > 0) sent.push(40 - change.counts.planned)
    })
    await shop.until(ended(shop, replay))
    expect(await shop.plane.replays.show(replay)).toMatchObject({
      replay: { state: 'done' },
      counts: { assumed: 40, returned: 0 },
    })
    expect(shop.seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, order) => order))
    expect([...new Set(sent)].filter((count) => [1, 5, 25, 40].includes(count))).toEqual([1, 5, 25, 40])
  })

  test.each([1, 3, 10])('stops after at most %i letters when the handler still fails', async (first) => {
    const shop = await openShop()
    await shop.orders(40)
    shop.seen.length = 0
    const replay = await replayAll(shop, { canary: { first, growth: 5, tolerated: 0 } })
    await shop.until(ended(shop, replay))
    expect(shop.seen.length).toBeLessThanOrEqual(first)
    const { replay: stopped, counts } = await shop.plane.replays.show(replay)
    expect(stopped).toMatchObject({ state: 'stopped' })
    expect(stopped.stoppedBecause).toMatch(/came back/)
    expect(counts.planned).toBe(40 - shop.seen.length)
  })

  test('resumed after the handler was mended, it starts with a canary again and goes through', async () => {
    const shop = await openShop()
    await shop.orders(10)
    const replay = await replayAll(shop)
    await shop.until(ended(shop, replay))
    shop.handle = () => {}
    shop.seen.length = 0
    await shop.plane.replays.resume(replay, wishes)
    await shop.until(async () => (await shop.plane.replays.show(replay)).replay.state === 'done')
    expect((await shop.plane.replays.show(replay)).counts).toMatchObject({ assumed: 9, returned: 1 })
    expect(shop.seen).toHaveLength(9)
  })

  test('goes on although some of its letters were somebody else’s', async () => {
    const shop = await openShop()
    await shop.orders(10)
    shop.handle = () => {}
    const first = await shop.plane.replays.seal({ filter: 'state:open' }, wishes)
    const { letters } = await shop.plane.letters.find({ filter: 'state:open', limit: 3 })
    await shop.plane.letters.discard({ letters: letters.map(({ id }) => id) }, wishes)
    await shop.plane.replays.start(first.replay.id, wishes)
    await shop.until(ended(shop, first.replay.id))
    expect(await shop.plane.replays.show(first.replay.id)).toMatchObject({
      replay: { state: 'done' },
      counts: { assumed: 7, skipped: 3, refused: 0 },
    })
  })

  test('waits while the consumer is paused: a letter that lies in its queue has not succeeded', {
    timeout: 120_000,
  }, async () => {
    const shop = await openShop({ breaker: true })
    await shop.orders(40)
    shop.seen.length = 0
    const replay = await replayAll(shop)
    await shop.until(ended(shop, replay), 2000)
    expect(await shop.plane.replays.show(replay)).toMatchObject({
      replay: { state: 'stopped' },
      counts: { planned: 39, assumed: 0 },
    })
    expect(shop.seen).toHaveLength(1)
  })

  test('that came back is open again as the next generation, once, and the first is returned', async () => {
    const shop = await openShop()
    await shop.orders(1)
    const replay = await replayAll(shop)
    await shop.until(ended(shop, replay))
    const { letters } = await shop.plane.letters.find({ limit: 10 })
    expect(letters.map(({ state, generation, replay: from }) => [state, generation, from])).toEqual([
      ['open', 1, replay],
      ['returned', 0, null],
    ])
    expect((await shop.plane.causes.list({ limit: 10 })).causes).toMatchObject([{ total: 2, unresolved: 1 }])
  })
})

test('letters of one key are sent in the order in which they failed', async () => {
  const shop = await openShop()
  await shop.orders(30)
  shop.seen.length = 0
  shop.handle = () => {}
  await shop.until(ended(shop, await replayAll(shop)))
  for (const customer of [0, 1, 2]) {
    const own = shop.seen.filter((order) => order % 3 === customer)
    expect(own).toEqual(own.toSorted((a, b) => a - b))
  }
})

test('behind a letter that did not arrive, none of its key is sent, however many claims that takes', async () => {
  let sends = 0
  const shop = await openShop({
    wrap: (transport) => ({
      ...transport,
      async send(address, message, options) {
        if (message.key === 'c-1' && ++sends === 2) throw new RedriveError('too-large', 'It does not fit.')
        return transport.send(address, message, options)
      },
    }),
  })
  await shop.orders(30)
  shop.seen.length = 0
  shop.handle = () => {}
  await shop.until(ended(shop, await replayAll(shop, { canary: undefined, rate: 10 })))
  expect(shop.seen.filter((order) => order % 3 === 1)).toEqual([1])
  expect(shop.seen).toHaveLength(21)
  expect((await shop.plane.letters.find({ filter: 'state:open key:c-1', limit: 100 })).letters).toHaveLength(9)
})

test('the rate is kept', async () => {
  const shop = await openShop()
  await shop.orders(30)
  shop.handle = () => {}
  const { canary: _, ...without } = wishes
  const { replay } = await shop.plane.replays.seal({ filter: 'state:open' }, { ...without, canary: undefined, rate: 10 })
  shop.seen.length = 0
  await shop.plane.replays.start(replay.id, { actor: 'ana' })
  await shop.bench.clock.advance(1000)
  expect(shop.seen.length).toBeGreaterThanOrEqual(9)
  expect(shop.seen.length).toBeLessThanOrEqual(12)
})

test('of two operators who replay the same letters, one has each of them and the other is told', async () => {
  const shop = await openShop()
  await shop.orders(10)
  shop.seen.length = 0
  shop.handle = () => {}
  const [mine, theirs] = [
    await shop.plane.replays.seal({ filter: 'state:open' }, wishes),
    await shop.plane.replays.seal({ filter: 'state:open' }, { ...wishes, actor: 'bo' }),
  ]
  const outcomes = await Promise.allSettled([mine, theirs].map(({ replay }) => shop.plane.replays.start(replay.id, wishes)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect((outcomes[1] as PromiseRejectedResult).reason).toMatchObject({ code: 'conflict' })
  await shop.until(ended(shop, mine.replay.id))
  expect(shop.seen).toHaveLength(10)
})

test('a replay never sends what was not sealed: letters that come later are not part of it', async () => {
  const shop = await openShop()
  await shop.orders(5)
  const { replay } = await shop.plane.replays.seal({ filter: 'state:open' }, wishes)
  await shop.bench.producer.send(Order, { order: 99, customer: 'late' })
  await shop.until(async () => (await shop.plane.letters.find({ filter: 'state:open', limit: 10 })).letters.length === 6)
  shop.seen.length = 0
  shop.handle = () => {}
  await shop.plane.replays.start(replay.id, wishes)
  await shop.until(ended(shop, replay.id))
  expect(shop.seen.toSorted()).toEqual([0, 1, 2, 3, 4])
})

test('letters that are on their way are watched to their end although the replay was cancelled', async () => {
  const shop = await openShop()
  await shop.orders(5)
  shop.handle = () => {}
  const replay = await replayAll(shop, { canary: undefined })
  await shop.bench.clock.advance(100)
  await shop.plane.replays.cancel(replay, wishes)
  await shop.until(async () => (await shop.plane.replays.show(replay)).counts.sent === 0)
  expect((await shop.plane.letters.find({ filter: 'state:sent,replaying', limit: 10 })).letters).toEqual([])
})

describe('a letter that was erased', () => {
  /** Not kept by the replay for ever: whoever has it in hand again can do with it what can be done with any other. */
  async function expectFree(shop: Shop, letter: number): Promise<void> {
    const show = async () => (await shop.plane.letters.show(letter)).letter
    expect(await show()).toMatchObject({ state: 'discarded' })
    expect(await shop.plane.conservation()).toMatchObject({ holds: true })
    expect((await shop.plane.causes.list({ limit: 1 })).causes).toMatchObject([{ unresolved: 0 }])
    await shop.plane.letters.erase(letter, wishes)
    expect(await shop.plane.letters.purge({ letters: [letter] }, wishes)).toEqual({ letters: 1 })
  }

  test('and restored holds up nobody, and is discarded again when a replay comes to it', async () => {
    const shop = await openShop()
    await shop.orders(3)
    shop.handle = () => {}
    shop.seen.length = 0
    const { letters } = await shop.plane.letters.find({ filter: 'state:open', limit: 10 })
    const erased = letters[1]?.id ?? 0
    await shop.plane.letters.erase(erased, wishes)
    await shop.plane.letters.restore({ letters: [erased] }, wishes)
    const replay = await replayAll(shop)
    await shop.until(ended(shop, replay))
    expect(shop.seen).toHaveLength(2)
    expect(await shop.plane.replays.show(replay)).toMatchObject({
      replay: { state: 'done' },
      counts: { assumed: 2, skipped: 1 },
    })
    await expectFree(shop, erased)
  })

  test('while it was unknown, and is taken for not sent then, is discarded when a replay comes to it', async () => {
    const shop = await openShop({ wrap: unsureFor(1, 'unsure', false) })
    await shop.orders(1)
    shop.handle = () => {}
    shop.seen.length = 0
    await shop.until(ended(shop, await replayAll(shop)))
    const [{ id } = { id: 0 }] = (await shop.plane.letters.find({ filter: 'state:unknown', limit: 1 })).letters
    await shop.plane.letters.erase(id, wishes)
    expect(await shop.plane.replays.decideUnknown([id], 'open', wishes)).toEqual({ letters: 1 })
    await shop.until(ended(shop, await replayAll(shop)))
    expect(shop.seen).toEqual([])
    await expectFree(shop, id)
  })
})

describe('by hand', () => {
  test('paused, it sends nothing; resumed, it goes on; cancelled, the rest is open again', async () => {
    const shop = await openShop()
    await shop.orders(40)
    shop.seen.length = 0
    shop.handle = () => {}
    const replay = await replayAll(shop, { canary: undefined, rate: 10 })
    await shop.bench.clock.advance(500)
    await shop.plane.replays.pause(replay, wishes)
    await shop.bench.clock.advance(200)
    const paused = shop.seen.length
    await shop.bench.clock.advance(60_000)
    expect(shop.seen).toHaveLength(paused)
    await shop.plane.replays.resume(replay, wishes)
    await shop.bench.clock.advance(1000)
    expect(shop.seen.length).toBeGreaterThan(paused)
    await shop.plane.replays.cancel(replay, wishes)
    await shop.bench.clock.advance(60_000)
    const { letters } = await shop.plane.letters.find({ filter: 'state:open', limit: 100 })
    expect(letters.length + shop.seen.length).toBe(40)
  })

  test('what a state does not allow is a conflict', async () => {
    const shop = await openShop()
    await shop.orders(1)
    const { replay } = await shop.plane.replays.seal({ filter: 'state:open' }, wishes)
    for (const verb of ['pause', 'resume'] as const) {
      await expect(shop.plane.replays[verb](replay.id, wishes)).rejects.toMatchObject({ code: 'conflict' })
    }
    await expect(shop.plane.replays.start(replay.id + 1, wishes)).rejects.toMatchObject({ code: 'not-found' })
    await expect(shop.plane.replays.seal({ filter: 'channel:nowhere' }, wishes)).rejects.toMatchObject({ code: 'nothing-to-do' })
  })
})

/** A broker that takes the first sends of a replay and does not say so. */
function unsureFor(
  sends: number,
  code: 'unsure' | 'refused' | 'unreachable',
  written: boolean,
): (transport: Transport) => Transport {
  return (transport) => {
    let left = sends
    return {
      ...transport,
      async send(address, message, options) {
        if (left-- <= 0) return transport.send(address, message, options)
        if (written) await transport.send(address, message, options)
        throw new RedriveError(code, 'The connection was lost.')
      },
    }
  }
}

describe('when the broker does not confirm', () => {
  test('a letter is unknown, is not sent again, and a person decides', async () => {
    const shop = await openShop({ wrap: unsureFor(1, 'unsure', true) })
    await shop.orders(1)
    shop.seen.length = 0
    shop.handle = () => {}
    const replay = await replayAll(shop)
    await shop.until(ended(shop, replay))
    expect(await shop.plane.replays.show(replay)).toMatchObject({ counts: { unknown: 1, sent: 0 } })
    expect(shop.seen).toEqual([0])
    const { letters } = await shop.plane.letters.find({ filter: 'state:unknown', limit: 10 })
    const ids = letters.map(({ id }) => id)
    await expect(shop.plane.replays.seal({ letters: ids }, wishes)).rejects.toMatchObject({ code: 'nothing-to-do' })
    expect(await shop.plane.replays.decideUnknown(ids, 'assumed', wishes)).toEqual({ letters: 1 })
    expect((await shop.plane.causes.list({ limit: 1 })).causes).toMatchObject([{ unresolved: 0 }])
  })

  test('a broker that is away for a while costs nothing: its letters keep their places', async () => {
    const shop = await openShop({ wrap: unsureFor(25, 'unreachable', false) })
    await shop.orders(20)
    shop.seen.length = 0
    shop.handle = () => {}
    const replay = await replayAll(shop, { canary: undefined })
    await shop.until(ended(shop, replay), 1000)
    expect(await shop.plane.replays.show(replay)).toMatchObject({
      replay: { state: 'done' },
      counts: { assumed: 20, refused: 0 },
    })
    expect(shop.seen).toHaveLength(20)
  })

  test('a replay of which nothing is confirmed stops by itself', async () => {
    const shop = await openShop({ wrap: unsureFor(1000, 'unsure', false) })
    await shop.orders(20)
    const replay = await replayAll(shop, { canary: undefined, rate: 10 })
    await shop.until(ended(shop, replay))
    const { replay: stopped, counts } = await shop.plane.replays.show(replay)
    expect(stopped.state).toBe('stopped')
    expect(counts.unknown).toBeLessThanOrEqual(2)
  })

  test('a letter that certainly was not written is open again', async () => {
    const shop = await openShop({ wrap: unsureFor(1, 'refused', false) })
    await shop.orders(1)
    const replay = await replayAll(shop)
    await shop.until(ended(shop, replay))
    expect(await shop.plane.replays.show(replay)).toMatchObject({ counts: { refused: 1 } })
    expect((await shop.plane.letters.find({ filter: 'state:open', limit: 10 })).letters).toHaveLength(1)
  })
})

test('what is sent is the message as it was, with three headers by which it is known again', async () => {
  const sent: Message[] = []
  const shop = await openShop({
    wrap: (transport) => ({
      ...transport,
      send(address, message, options) {
        sent.push(message)
        return transport.send(address, message, options)
      },
    }),
  })
  await shop.orders(1)
  shop.handle = () => {}
  const replay = await replayAll(shop)
  await shop.until(ended(shop, replay))
  const [{ letter } = { letter: '' }] = (await shop.plane.letters.find({ limit: 1 })).letters
  const ours = sent[0]?.headers.filter(([name]) => name.startsWith('redrive-')).map(([name]) => name)
  expect(ours).toEqual([redriveHeaders.letter, redriveHeaders.generation, redriveHeaders.replay])
  expect(textHeader(sent[0]?.headers ?? [], redriveHeaders.letter)).toBe(letter)
  expect(sent[0]?.key).toBe('c-0')
  expect(JSON.parse(Buffer.from(sent[0]?.body ?? []).toString())).toEqual({ order: 0, customer: 'c-0' })
})

test('a long time to observe ends too', async () => {
  const shop = await openShop()
  await shop.orders(1)
  shop.handle = () => {}
  const replay = await replayAll(shop, { observe: 2 * 3_600_000 })
  await shop.until(ended(shop, replay), 60_000)
  expect((await shop.plane.replays.show(replay)).counts).toMatchObject({ assumed: 1 })
})
