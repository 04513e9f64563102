import { describe, expect, it } from 'vitest'
import { testingWorld, type World } from '../../test/testing-world.ts'
import { textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import type { Transport } from '../transports/seam.ts'

const hour = 3_600_000
const fails = (): never => {
  throw new Error('x')
}
const letterOf = (message: Message | undefined): unknown => textHeader(message?.headers ?? [], redriveHeaders.letter)

/** A broker that knows no retry of its own: a copy is sent, then the original is completed. */
function byCopy({ broker }: World): { transport: Transport } {
  const { capabilities } = broker
  const retry = { ...capabilities.retry, by: 'copy' as const, inPlace: false }
  return { transport: { ...broker, capabilities: { ...capabilities, move: 'none', retry } } }
}

describe('where a retry is a copy', () => {
  it('turns are counted over all copies, and the copies leave nothing behind', async () => {
    const world = testingWorld()
    const seen: number[][] = []
    await world.consume((_, ctx) => seen.push([ctx.attempt, ctx.deliveries]) && fails(), { maxDeliveryCount: 3 }, byCopy(world))
    await world.put(1)
    await world.clock.advance(hour)
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
    ])
    expect([(await world.letters()).length, await world.letters('work')]).toEqual([1, []])
  })

  it('the letter is named after where the first copy stood', async () => {
    const [world, other] = [testingWorld(), testingWorld()]
    await world.consume(fails, { maxDeliveryCount: 3 }, byCopy(world))
    await other.consume(fails, { maxDeliveryCount: 1 })
    for (const each of [world, other]) {
      await each.put(1)
      await each.clock.advance(hour)
    }
    expect(letterOf((await world.letters())[0])).toBe(letterOf((await other.letters())[0]))
  })

  it('a copy whose fate is not known is not written twice where the broker deduplicates', async () => {
    const world = testingWorld()
    let runs = 0
    await world.consume(() => ++runs === 1 && fails(), {}, byCopy(world))
    world.broker.faults.once('send.after-write', ({ message }) => (message?.headers.length ? { fail: 'unsure' } : undefined))
    await world.put(1)
    await world.clock.advance(hour)
    expect([runs, world.of('completed').length, await world.letters('work')]).toEqual([2, 1, []])
  })
})

it('a replayed message keeps the name of its letter', async () => {
  const world = testingWorld()
  await world.consume(fails, { maxDeliveryCount: 1 })
  await world.put(1, {
    headers: [
      [redriveHeaders.letter, 'L-1'],
      [redriveHeaders.replay, 'r-1'],
      [redriveHeaders.generation, '2'],
    ],
  })
  const [letter] = await world.letters()
  expect([letterOf(letter), textHeader(letter?.headers ?? [], redriveHeaders.generation)]).toEqual(['L-1', '2'])
  expect(world.of('dead-lettered')).toMatchObject([{ replayed: true, letter: 'L-1' }])
})
