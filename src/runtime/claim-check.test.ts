import { describe, expect, it, vi } from 'vitest'
import { Job, KeyedJob, testingWorld, type World } from '../../test/testing-world.ts'
import { memoryStore } from '../claim-check/memory-store.ts'
import { readReference } from '../core/body-reference.ts'
import { textHeader } from '../core/headers.ts'
import type { Message } from '../core/message.ts'
import type { BodyStore } from '../core/ports.ts'
import type { Transport } from '../transports/seam.ts'
import type { ChannelOptions } from './channel-options.ts'
import type { Consumer } from './consumer.ts'
import { createProducer, type Producer } from './producer.ts'
import type { Handler } from './routes.ts'

const hour = 3_600_000
const large = { secret: 'the quick brown fox '.repeat(20) }

interface Play {
  readonly world: World
  readonly store: BodyStore & { readonly get: ReturnType<typeof vi.fn<BodyStore['get']>> }
  readonly producer: Producer
  consume(handler: Handler<unknown>, options?: Partial<ChannelOptions>): Promise<Consumer>
}

function play(change: (transport: Transport) => Transport = (same) => same): Play {
  const world = testingWorld()
  const kept = memoryStore()
  const store = { ...kept, get: vi.fn(kept.get) }
  const transport = change(world.broker)
  return {
    world,
    store,
    producer: createProducer({ transport, claimCheck: { store, over: '100B' }, platform: world.platform }),
    consume: (handler, options) =>
      world.consume(handler, { invalid: 'invalid', retry: { delayed: { retries: 2 } }, ...options } as ChannelOptions, {
        claimCheck: { store },
      }),
  }
}

async function send({ producer, world }: Play, value: unknown): Promise<Message> {
  await producer.send(Job, value, { channel: 'work' })
  const [message] = await world.letters('work')
  await world.clock.settle()
  return message as Message
}

const reference = ({ headers }: Message) => readReference(headers)

describe('a body that is too large to travel', () => {
  it('is stored, and its message carries a reference that handlers never see', async () => {
    const scene = play()
    const seen: unknown[] = []
    const consumer = await scene.consume((value) => void seen.push(value))
    consumer.pause('work')
    await scene.world.clock.settle()
    const message = await send(scene, large)
    expect(message.body).toHaveLength(0)
    expect(reference(message)).toMatchObject({ bytes: JSON.stringify(large).length })
    consumer.resume('work')
    await scene.world.clock.advance(hour)
    expect([seen, scene.world.of('completed').length]).toEqual([[large], 1])
  })

  it('travels where it is small enough', async () => {
    const scene = play()
    const seen: unknown[] = []
    await scene.consume((value, { message }) => void seen.push(value, message.headers))
    await send(scene, 'small')
    expect([seen, scene.store.get.mock.calls]).toEqual([['small', []], []])
  })

  it('is kept when its message is completed: letters, replays and other readers may still need it', async () => {
    const scene = play()
    const keys: string[] = []
    await scene.consume((_, { message }) => void keys.push(reference(message)?.key ?? ''))
    await send(scene, large)
    expect(scene.world.of('completed')).toHaveLength(1)
    expect(await scene.store.get(keys[0] ?? '', 1000)).toBeDefined()
  })

  it('is fetched anew for each attempt, which starts from the bytes', async () => {
    const scene = play()
    const seen: unknown[] = []
    await scene.consume(
      (value) => {
        const given = value as { secret?: string }
        seen.push(given.secret)
        delete given.secret
        if (seen.length < 3) throw new Error('again')
      },
      { retry: { immediate: 1, delayed: { retries: 2 } } },
    )
    await send(scene, large)
    await scene.world.clock.advance(hour)
    expect(seen).toEqual([large.secret, large.secret, large.secret])
  })

  it('comes to a batch handler as well', async () => {
    const scene = play()
    const seen: unknown[] = []
    const consumer = scene.world.consumer({ claimCheck: { store: scene.store } })
    consumer.channel('work', { deadLetter: 'dead' }).onBatch(Job, (messages) => {
      for (const { value } of messages) seen.push(value)
      return messages.map((message) => message.done())
    })
    await consumer.start()
    for (let n = 0; n < 5; n++) await scene.producer.send(Job, { ...large, n }, { channel: 'work' })
    await scene.world.clock.advance(hour)
    expect(seen).toHaveLength(5)
    expect(scene.world.of('completed')).toHaveLength(5)
  })

  it('keeps its key, so that order is kept without looking into it', async () => {
    const scene = play()
    const seen: number[] = []
    const consumer = scene.world.consumer({ claimCheck: { store: scene.store } })
    consumer.channel('work', { deadLetter: 'dead' }).on(KeyedJob, ({ n }) => void seen.push(n))
    await consumer.start()
    for (let n = 0; n < 9; n++) await scene.producer.send(KeyedJob, { key: 'a', n, ...large }, { channel: 'work' })
    await scene.world.clock.advance(hour)
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('is never quoted: what an error repeats of it is redacted', async () => {
    const scene = play()
    await scene.consume((value) => {
      throw new Error(`cannot book ${(value as typeof large).secret}`)
    })
    await send(scene, large)
    await scene.world.clock.advance(hour)
    expect(scene.world.of('dead-lettered')).toMatchObject([{ description: expect.stringContaining('REDACTED') }])
    expect(JSON.stringify([scene.world.told, scene.world.logs, await scene.world.letters()])).not.toContain('quick brown')
  })
})

describe('a stored body that cannot be had', () => {
  it.each<[string, string, (scene: Play) => void]>([
    ['is gone', 'is not in the store', ({ store }) => store.get.mockResolvedValue(undefined)],
    [
      'was changed',
      'not the one that was sent',
      ({ store }) => store.get.mockImplementation(async (_, bytes) => new Uint8Array(bytes)),
    ],
    ['was cut', 'not the one that was sent', ({ store }) => store.get.mockResolvedValue(new Uint8Array(3))],
    ['is in a store that fails', 'could not be read', ({ store }) => store.get.mockRejectedValue(new Error('EIO /secret/path'))],
  ])('because it %s is tried again, then becomes a letter with the reference', async (_, words, break_) => {
    const scene = play()
    let runs = 0
    await scene.consume(() => void runs++)
    break_(scene)
    const message = await send(scene, large)
    await scene.world.clock.advance(hour)
    const [letter] = await scene.world.letters()
    expect([runs, scene.store.get.mock.calls.length, scene.world.of('retried').length]).toEqual([0, 3, 2])
    expect(scene.world.of('failed')[0]).toMatchObject({ class: 'retryable', errorType: 'RedriveError' })
    expect(reference(letter as Message)).toEqual(reference(message))
    expect(textHeader(letter?.headers ?? [], 'redrive-description')).toContain(words)
  })

  it('is processed when it is restored and the letter is sent back', async () => {
    const scene = play()
    const seen: unknown[] = []
    await scene.consume((value) => void seen.push(value))
    const body = scene.store.get.getMockImplementation()
    scene.store.get.mockResolvedValue(undefined)
    await send(scene, large)
    await scene.world.clock.advance(hour)
    const [letter] = await scene.world.letters()
    scene.store.get.mockImplementation(body ?? (async () => undefined))
    await scene.world.broker.send({ name: 'work' }, letter as Message)
    await scene.world.clock.settle()
    expect(seen).toEqual([large])
  })

  it('because the consumer has no store becomes a letter with the reference, and says what to do', async () => {
    const scene = play()
    await scene.world.consume(() => {}, { deadLetter: 'dead', retry: { delayed: { retries: 0 } } })
    await send(scene, large)
    await scene.world.clock.advance(hour)
    const [letter] = await scene.world.letters()
    expect(reference(letter as Message)).toBeDefined()
    expect(scene.world.of('dead-lettered')).toMatchObject([{ description: expect.stringContaining('no claimCheck') }])
  })

  it('because it is larger than allowed is not fetched', async () => {
    const scene = play()
    const consumer = scene.world.consumer({ claimCheck: { store: scene.store, atMost: '50B' } })
    consumer.channel('work', { deadLetter: 'dead' }).on(Job, () => {})
    await consumer.start()
    await send(scene, large)
    expect(scene.store.get).not.toHaveBeenCalled()
    expect(scene.world.of('dead-lettered')).toMatchObject([{ description: expect.stringContaining('atMost') }])
  })

  it.each([`v1 ../../etc/passwd 10 ${'ab'.repeat(32)}`, 'anything', `v1 2026-11-15.a/../b 1 ${'ab'.repeat(32)}`])(
    'because the reference was forged (%s) never reaches the store, and is invalid',
    async (forged) => {
      const scene = play()
      await scene.consume(() => {})
      await scene.world.broker.send(
        { name: 'work' },
        { type: 'job', body: new Uint8Array(), headers: [['redrive-body', forged]] },
      )
      await scene.world.clock.settle()
      expect([scene.store.get.mock.calls, scene.world.of('invalid').length]).toEqual([[], 1])
    },
  )

  it.each(['redrive', 'brighter'] as const)(
    'keeps its reference in a letter of the %s dialect, however little room there is',
    async (dialect) => {
      const scene = play()
      await scene.consume((_, ctx) => ctx.deadLetter('x'.repeat(600), 'y'.repeat(2000)), { dialect, headerBudget: '1KiB' })
      const headers: [string, string][] = [['mine', 'z'.repeat(900)]]
      await scene.producer.send(Job, large, { channel: 'work', headers })
      await scene.world.clock.settle()
      const [letter] = await scene.world.letters()
      expect(reference(letter as Message)).toBeDefined()
    },
  )
})

describe('a message that is not sent', () => {
  const failing = (code: 'refused' | 'unsure') => async (): Promise<never> => {
    const { RedriveError } = await import('../core/errors.ts')
    throw new RedriveError(code, 'no')
  }

  it.each([
    ['refused', 0],
    ['unsure', 1],
  ] as const)('because the send was %s leaves %i bodies behind', async (code, left) => {
    const world = testingWorld()
    const kept = new Set<string>()
    const store: BodyStore = {
      put: async (key) => void kept.add(key),
      get: async () => undefined,
      remove: async (key) => kept.delete(key),
    }
    const producer = createProducer({ transport: { ...world.broker, send: failing(code) }, claimCheck: { store, over: 10 } })
    await expect(producer.send(Job, large)).rejects.toMatchObject({ code })
    expect(kept.size).toBe(left)
  })

  it('because the store failed says so, and sends nothing', async () => {
    const scene = play()
    await scene.consume(() => {})
    const store = { ...scene.store, put: () => Promise.reject(new Error('EIO')) }
    const producer = createProducer({ transport: scene.world.broker, claimCheck: { store, over: 10 } })
    await expect(producer.send(Job, large, { channel: 'work' })).rejects.toMatchObject({ code: 'unreachable' })
    expect(await scene.world.letters('work')).toEqual([])
  })

  it('because it was sent before leaves no second body', async () => {
    const scene = play()
    const removed = vi.fn(async () => true)
    const store = { ...scene.store, remove: removed }
    await scene.consume(() => {})
    const producer = createProducer({ transport: scene.world.broker, claimCheck: { store, over: 10 } })
    for (let n = 0; n < 2; n++) await producer.send(Job, large, { channel: 'work', dedupId: 'once' })
    expect(removed).toHaveBeenCalledTimes(1)
  })
})

describe('the options of the claim check', () => {
  const { broker } = testingWorld()
  const store = memoryStore()

  it.each([
    [{ store: {} }, 'claimCheck.store'],
    [{ over: '1KiB' }, 'claimCheck.store'],
    [{ store, over: -1 }, 'claimCheck.over'],
    [{ store, over: '17MiB' }, 'all that the broker takes'],
  ])('are checked for a producer: %j', (claimCheck, named) => {
    const make = () => createProducer({ transport: broker, claimCheck: claimCheck as { store: BodyStore } })
    expect(make).toThrow(expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(named) }))
  })

  it('are checked for a consumer', () => {
    const make = () => testingWorld().consumer({ claimCheck: { store, atMost: 'many' } })
    expect(make).toThrow(expect.objectContaining({ code: 'bad-option', message: expect.stringContaining('claimCheck.atMost') }))
  })
})
