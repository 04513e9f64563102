import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { testingWorld, type World } from '../../test/testing-world.ts'
import { textHeader } from '../core/headers.ts'
import type { ChannelOptions } from './channel-options.ts'
import { defineMessage } from './define-message.ts'

const schema = z.object({ total: z.number() })
const broken = new Uint8Array([0xff, 0xfe, 0x7b])

async function consumeOrders(world: World, options: ChannelOptions, validator: z.ZodType = schema): Promise<unknown[]> {
  const seen: unknown[] = []
  const consumer = world.consumer()
  consumer.channel('work', options).on(defineMessage('order', validator), (order) => seen.push(order))
  await consumer.start()
  return seen
}

describe('a message that is not valid', () => {
  it('never runs and goes to the invalid channel, not to the dead-letter channel', async () => {
    const world = testingWorld()
    const seen = await consumeOrders(world, { deadLetter: 'dead', invalid: 'invalid' })
    await world.put({ total: 'many' }, { type: 'order' })
    expect(seen).toEqual([])
    expect(world.of('invalid')).toMatchObject([{ reason: 'Unacceptable', class: 'invalid', to: 'invalid' }])
    expect(world.of('invalid')[0]?.description).toBe('the body is not a valid "order": wrong at total')
    expect([await world.letters('invalid'), await world.letters('dead')].map((letters) => letters.length)).toEqual([1, 0])
  })

  it('falls back to the dead-letter channel where there is no invalid channel (seed 004)', async () => {
    const world = testingWorld()
    await consumeOrders(world, { deadLetter: 'dead' })
    await world.put({}, { type: 'order' })
    const [letter] = await world.letters()
    expect(textHeader(letter?.headers ?? [], 'redrive-reason')).toBe('Unacceptable')
  })

  it('is warned about and completed where there is neither, and the next message flows (seed 004)', async () => {
    const world = testingWorld()
    const seen = await consumeOrders(world, { deadLetter: 'none' })
    await world.put({}, { type: 'order' })
    await world.put({ total: 1 }, { type: 'order' })
    expect(seen).toEqual([{ total: 1 }])
    expect(world.of('discarded')).toMatchObject([{ asked: false, reason: 'Unacceptable' }])
    expect(world.logs).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'Completed a failed message without a letter' }),
    )
    expect(await world.letters('work')).toEqual([])
  })

  it('may also be bytes that do not decode; the letter holds them as they were', async () => {
    const world = testingWorld()
    await consumeOrders(world, { deadLetter: 'dead', invalid: 'invalid' })
    await world.put(0, { type: 'order', body: broken })
    const [letter] = await world.letters('invalid')
    expect([...(letter?.body ?? [])]).toEqual([...broken])
    expect(world.of('invalid')[0]?.description).toBe('the body does not decode as application/json')
  })

  it('is found by a validator that takes its time', async () => {
    const world = testingWorld()
    const slow = schema.refine(async ({ total }) => total > 0)
    const seen = await consumeOrders(world, { deadLetter: 'dead', invalid: 'invalid' }, slow)
    await world.put({ total: -1 }, { type: 'order' })
    await world.put({ total: 1 }, { type: 'order' })
    expect(seen).toEqual([{ total: 1 }])
    expect(await world.letters('invalid')).toHaveLength(1)
  })
})
