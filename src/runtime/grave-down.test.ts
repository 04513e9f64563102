import { describe, expect, it } from 'vitest'
import { testingWorld, type World } from '../../test/testing-world.ts'
import { textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Transport } from '../transports/seam.ts'

const minute = 60_000
const failsIfBad = (value: unknown, ctx: { deadLetter(): never }): unknown => String(value).startsWith('bad') && ctx.deadLetter()

/** Brokers that cannot move atomically: the letter is sent, then the source is completed. */
function withoutMove({ broker }: World): Transport {
  return { ...broker, capabilities: { ...broker.capabilities, move: 'none' } }
}

describe.each(['atomic', 'none'] as const)('while the dead-letter channel is down (move: %s)', (move) => {
  const transportOf = (world: World): { transport: Transport } => ({
    transport: move === 'none' ? withoutMove(world) : world.broker,
  })

  it('holds only the letter: healthy messages flow, and it arrives exactly once after the repair', async () => {
    const world = testingWorld()
    await world.consume(failsIfBad, {}, transportOf(world))
    const repair = world.broker.faults.refuse('dead')
    await world.put('bad')
    for (const value of ['a', 'b', 'c']) await world.put(value)
    expect(world.of('completed')).toHaveLength(3)
    await world.clock.advance(minute)
    expect([await world.letters(), (await world.letters('work')).length]).toEqual([[], 1])
    repair()
    await world.clock.advance(minute)
    expect([(await world.letters()).length, await world.letters('work')]).toEqual([1, []])
    expect(world.of('dead-letter-failed')[0]).toMatchObject({ answer: 'hold', held: 1, to: 'dead' })
  })

  it('pauses at maxHeld, resumes when one is gone, and loses nothing', async () => {
    const world = testingWorld()
    await world.consume(failsIfBad, { maxHeld: 2 }, transportOf(world))
    const repair = world.broker.faults.refuse('dead')
    for (let n = 0; n < 5; n++) await world.put(`bad ${n}`)
    await world.put('healthy')
    await world.clock.advance(1000)
    expect(world.of('paused')).toMatchObject([{ why: 'max-held' }])
    expect(world.of('completed')).toEqual([])
    repair()
    await world.clock.advance(5 * minute)
    expect(world.of('resumed')).not.toEqual([])
    expect([(await world.letters()).length, world.of('completed').length, await world.letters('work')]).toEqual([5, 1, []])
  })

  it('releases what it held before maxHold has passed, uncounted', async () => {
    const world = testingWorld()
    const attempts: number[] = []
    const options = { maxHold: '2m' } as const
    await world.consume((_, ctx) => attempts.push(ctx.attempt) && ctx.deadLetter(), options, transportOf(world))
    world.broker.faults.refuse('dead')
    await world.put('bad')
    await world.clock.advance(2 * minute - 1)
    expect(world.of('released')).toMatchObject([{ why: 'held-too-long' }])
    await world.clock.advance(4 * minute)
    expect(new Set(attempts)).toEqual(new Set([1]))
  })

  it('writes one letter with one id when the broker did not say whether it took the first', async () => {
    const world = testingWorld()
    await world.consume(failsIfBad, {}, transportOf(world))
    const step = move === 'none' ? 'send.after-write' : 'settle.move.after-write'
    world.broker.faults.once(step, ({ address }) =>
      step === 'send.after-write' && address?.name === 'work' ? undefined : { fail: 'unsure' },
    )
    await world.put('bad')
    await world.clock.advance(minute)
    expect([(await world.letters()).length, await world.letters('work')]).toEqual([1, []])
    expect(world.of('dead-lettered')).toHaveLength(1)
  })
})

describe('a held letter', () => {
  it('is not written once its message is not ours any more; whoever gets it next writes it', async () => {
    const world = testingWorld()
    await world.consume(failsIfBad, {}, { transport: withoutMove(world) })
    const repair = world.broker.faults.refuse('dead')
    await world.put('bad')
    let sends = 0
    world.broker.faults.on('send.before-write', () => void sends++)
    repair()
    world.broker.faults.loseConnection()
    await world.clock.advance(minute)
    expect([sends, (await world.letters()).length]).toEqual([1, 1])
  })

  it('is given back at once when the consumer stops', async () => {
    const world = testingWorld()
    const consumer = await world.consume(failsIfBad)
    world.broker.faults.refuse('dead')
    await world.put('bad')
    const stopped = consumer.stop()
    await world.clock.settle()
    expect(world.of('stopped')).toEqual([{ released: 1 }])
    await stopped
  })
})

describe('a letter on a broker that deduplicates', () => {
  it('is written again when it was sent back and fails again within the window', async () => {
    const world = testingWorld()
    await world.consume(failsIfBad, {}, { transport: withoutMove(world) })
    await world.put('bad')
    const [letter] = await world.letters()
    await world.broker.remove({ name: 'dead' }, '1')
    await world.broker.send({ name: 'work' }, letter as never)
    await world.clock.settle()
    const again = await world.letters()
    expect(again).toHaveLength(1)
    const idOf = (message = letter): unknown => textHeader(message?.headers ?? [], redriveHeaders.letter)
    expect(idOf(again[0])).toBe(idOf())
  })
})

describe('onDeadLetterFailure: drop', () => {
  it.each([false, true])(
    'drops the message and logs id, hash and metadata; the body only if asked (logBody %s)',
    async (logBody) => {
      const world = testingWorld()
      await world.consume(failsIfBad, { onDeadLetterFailure: 'drop', logBody })
      world.broker.faults.refuse('dead')
      await world.put('bad-secret', { id: 'm-1', correlationId: 'c-1' })
      await world.clock.advance(minute)
      expect([await world.letters('work'), await world.letters()]).toEqual([[], []])
      const line = world.logs.find(({ message }) => message.startsWith('Dropped'))
      expect(line?.fields).toMatchObject({ messageId: 'm-1', correlationId: 'c-1', channel: 'work', reason: 'NonRetryableError' })
      expect(line?.fields).toMatchObject({ bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect('body' in (line?.fields ?? {})).toBe(logBody)
      expect(JSON.stringify(world.logs)).not.toContain('bad-secret')
    },
  )

  it('keeps the message when not even the log takes it', async () => {
    const world = testingWorld()
    let isBroken = true
    const error = (...line: Parameters<typeof world.logger.error>): void => {
      if (isBroken) throw new Error('the log is full')
      world.logger.error(...line)
    }
    await world.consume(failsIfBad, { onDeadLetterFailure: 'drop' }, { logger: { ...world.logger, error } })
    world.broker.faults.refuse('dead')
    await world.put('bad')
    await world.clock.advance(minute)
    expect(await world.letters('work')).toHaveLength(1)
    isBroken = false
    await world.clock.advance(minute)
    expect(await world.letters('work')).toEqual([])
    expect(world.logs.filter(({ message }) => message.startsWith('Dropped'))).toHaveLength(1)
  })
})
