import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Job, jobMessage, KeyedJob, testingWorld } from '../../test/testing-world.ts'
import type { ChannelOptions } from './channel-options.ts'
import { bytes, text } from './codec.ts'
import { defineMessage } from './define-message.ts'

const Order = defineMessage('order', z.object({ id: z.string(), total: z.coerce.number() }))

describe('which handler gets a message, and as what', () => {
  it('gives the value as its schema makes it', async () => {
    const world = testingWorld()
    const seen: unknown[] = []
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' }).on(Order, (order) => seen.push(order.total + 1))
    await consumer.start()
    await world.put({ id: 'o-1', total: '41' }, { type: 'order' })
    expect(seen).toEqual([42])
  })

  it('gives each type to its own handler, under its own policy', async () => {
    const world = testingWorld()
    const seen: string[] = []
    const consumer = world.consumer()
    consumer
      .channel('work', { deadLetter: 'dead', maxDeliveryCount: 3 })
      .on(Job, () => seen.push('job'))
      .on(defineMessage('once'), () => seen.push('once') && Promise.reject(new Error('x')), { maxDeliveryCount: 1 })
    await consumer.start()
    await world.put(1)
    await world.put(2, { type: 'once' })
    expect(seen).toEqual(['job', 'once'])
    expect(await world.letters()).toHaveLength(1)
  })

  it('asks resolveType for foreign messages, and stays with the type where that throws', async () => {
    const world = testingWorld()
    const seen: unknown[] = []
    const consumer = world.consumer()
    const resolveType: ChannelOptions['resolveType'] = ({ headers }) => {
      if (headers.length === 0) throw new Error('no headers')
      return String(headers[0]?.[1])
    }
    consumer
      .channel('work', { deadLetter: 'dead', resolveType })
      .on(Job, (value) => seen.push(['job', value]))
      .on(defineMessage('foreign'), (value) => seen.push(['foreign', value]))
    await consumer.start()
    await world.put(1, { type: 'System.String', headers: [['x-type', 'foreign']] })
    await world.put(2)
    expect(seen).toEqual([
      ['foreign', 1],
      ['job', 2],
    ])
  })

  it('gives messages without a type to the only handler', async () => {
    const world = testingWorld()
    const seen: unknown[] = []
    await world.consume((value) => seen.push(value))
    const { body, headers } = jobMessage('untyped')
    await world.broker.send({ name: 'work' }, { body, headers })
    await world.clock.settle()
    expect(seen).toEqual(['untyped'])
  })

  it.each([
    [undefined, 'invalid', 'invalid'],
    ['dead-letter', 'dead-lettered', 'dead'],
    ['discard', 'discarded', undefined],
  ] as const)('sends unknown types where unknownType %s says', async (unknownType, event, channel) => {
    const world = testingWorld()
    await world.consume(() => expect.unreachable(), { invalid: 'invalid', ...(unknownType && { unknownType }) })
    await world.put(1, { type: 'nobody’s' })
    expect(world.of(event)).toMatchObject([{ reason: 'Unacceptable' }])
    expect(await world.letters('work')).toEqual([])
    if (channel) expect(await world.letters(channel)).toHaveLength(1)
  })

  it.each([
    [bytes, [1, 2], [1, 2]],
    [text, [104, 105], 'hi'],
  ] as const)('decodes with the codec of the definition: %o', async (codec, body, value) => {
    const world = testingWorld()
    const seen: unknown[] = []
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' }).on(defineMessage('raw', undefined, { codec }), (got) => seen.push(got))
    await consumer.start()
    await world.put(0, { type: 'raw', body: Uint8Array.from(body) })
    expect(seen.map((got) => (got instanceof Uint8Array ? [...got] : got))).toEqual([value])
  })

  it.each([Job, KeyedJob])(
    'decodes anew for each run, so that a handler that changes its value starts from the bytes again',
    async (definition) => {
      const world = testingWorld()
      const seen: unknown[] = []
      const consumer = world.consumer()
      const channel = consumer.channel('work', { deadLetter: 'dead', retry: { immediate: 1, delayed: { retries: 0 } } })
      channel.on(definition as typeof Job, (value) => {
        seen.push({ ...(value as object) })
        Object.assign(value as object, { changed: true })
        throw new Error('x')
      })
      await consumer.start()
      await world.put({ n: 1, key: 'a' })
      expect(seen).toEqual([
        { n: 1, key: 'a' },
        { n: 1, key: 'a' },
      ])
    },
  )
})
