import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decoded, provision, testingWorld, type World } from '../../test/testing-world.ts'
import { bytes } from './codec.ts'
import { defineMessage } from './define-message.ts'
import { createProducer, type Producer } from './producer.ts'

const Order = defineMessage('order', z.object({ id: z.string() }), { key: ({ id }) => id, channel: 'work' })

async function producing(): Promise<World & { producer: Producer }> {
  const world = testingWorld()
  await provision(world.broker)
  return { ...world, producer: createProducer({ transport: world.broker, platform: world.platform }) }
}

describe('a producer', () => {
  it('sends to the definition’s channel with id, type, key, content type and correlation id', async () => {
    const { producer, letters } = await producing()
    expect(await producer.send(Order, { id: 'o-1' })).toEqual({ id: 'id-1', position: '1', duplicate: false })
    const [sent] = await letters('work')
    const envelope = { id: 'id-1', type: 'order', key: 'o-1', contentType: 'application/json', correlationId: 'id-2' }
    expect(sent).toMatchObject(envelope)
    expect(decoded(sent)).toEqual({ id: 'o-1' })
  })

  it('takes channel, ids and headers from its options', async () => {
    const { producer, letters } = await producing()
    await producer.send(Order, { id: 'o-1' }, { channel: 'dead', id: 'm', correlationId: 'c', headers: [['tenant', 7]] })
    expect(await letters()).toMatchObject([{ id: 'm', correlationId: 'c', headers: [['tenant', 7]] }])
  })

  it('is the type’s own channel by default', () => {
    expect(defineMessage('order.created').channel).toBe('order.created')
  })

  it('refuses what its own consumer would refuse, without quoting it', async () => {
    const { producer, letters } = await producing()
    const sending = producer.send(Order, { id: 12345678 } as never)
    await expect(sending).rejects.toMatchObject({ code: 'bad-message', message: 'not a valid "order": wrong at id' })
    expect(await letters('work')).toEqual([])
  })

  it.each([
    [defineMessage('x', undefined, { channel: 'work' }), undefined],
    [defineMessage('x', undefined, { channel: 'work' }), 10n],
    [defineMessage('x', undefined, { channel: 'work', codec: bytes }), 'text'],
  ])('refuses what does not encode', async (definition, value) => {
    const { producer } = await producing()
    await expect(producer.send(definition, value)).rejects.toMatchObject({ code: 'bad-message' })
  })

  it.each([
    ['id', { id: 7 }],
    ['correlation id', { correlationId: 7 }],
  ])('refuses an %s that is no text', async (what, options) => {
    const { producer, letters } = await producing()
    const sending = producer.send(Order, { id: 'o-1' }, options as never)
    await expect(sending).rejects.toMatchObject({
      code: 'bad-message',
      message: `the ${what} of "order" must be a text, and it is a number`,
    })
    expect(await letters('work')).toEqual([])
  })

  it('refuses a key that is no text', async () => {
    const { producer } = await producing()
    const Numbered = defineMessage('order', z.object({ id: z.number() }), { key: ({ id }) => id as never, channel: 'work' })
    await expect(producer.send(Numbered, { id: 7 })).rejects.toMatchObject({ code: 'bad-message' })
  })

  it('deduplicates by dedupId', async () => {
    const { producer, letters } = await producing()
    await producer.send(Order, { id: 'o-1' }, { dedupId: 'd' })
    expect(await producer.send(Order, { id: 'o-1' }, { dedupId: 'd' })).toMatchObject({ duplicate: true })
    expect(await letters('work')).toHaveLength(1)
  })

  it('delays', async () => {
    const { producer, broker, clock } = await producing()
    await producer.send(Order, { id: 'o-1' }, { delay: '10s' })
    const receiver = await broker.receive({ name: 'work' }, { prefetch: 1, hold: 1000 })
    expect(await receiver.take(1, 0)).toEqual([])
    await clock.advance(10_000)
    expect(await receiver.take(1, 0)).toHaveLength(1)
  })

  it.each([
    [{ delay: 'soon' }, 'bad-option'],
    [{ dedupID: 'd' }, 'unknown-option'],
    [{ channel: 'nowhere' }, 'unknown-channel'],
  ])('refuses %o with %s', async (options, code) => {
    const { producer } = await producing()
    await expect(producer.send(Order, { id: 'o-1' }, options as never)).rejects.toMatchObject({ code })
  })

  it.each([{}, { transport: 1 }, { transport: testingWorld().broker, transports: 1 }])('is not made from %o', (options) => {
    expect(() => createProducer(options as never)).toThrow(expect.objectContaining({ name: 'RedriveError' }))
  })
})
