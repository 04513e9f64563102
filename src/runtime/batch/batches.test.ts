import { describe, expect, it } from 'vitest'
import { allDone, type Messages, playBatches } from '../../../test/batch-play.ts'
import { gate, Job, provision, testingWorld, untilAborted } from '../../../test/testing-world.ts'
import { PermanentError } from '../../core/tagged-errors.ts'
import { defineMessage } from '../define-message.ts'
import type { BatchOutcome } from './answer.ts'

const ten = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']
const hour = 3_600_000

/** Everybody is done but one, of whom `say` tells. */
const allBut = (bad: string, say: (message: Messages[number]) => BatchOutcome[]) => (messages: Messages) =>
  messages.flatMap((message) => (message.value === bad ? say(message) : [message.done()]))

function throwsAt(bad: string, error: Error): (messages: Messages) => BatchOutcome[] {
  return allBut(bad, () => {
    throw error
  })
}

describe('a batch', () => {
  it('goes as soon as it is full, in the order in which its messages came', async () => {
    const play = await playBatches(allDone)
    await play.put(...ten)
    expect([play.calls, play.told('completed')]).toEqual([[ten], ten])
  })

  it('goes when its first message has waited long enough', async () => {
    const play = await playBatches(allDone)
    await play.put('1', '2', '3')
    await play.world.clock.advance(999)
    expect(play.calls).toEqual([])
    await play.world.clock.advance(1)
    expect(play.calls).toEqual([['1', '2', '3']])
  })

  it('does not wait for what cannot come: a careful start hands out one, two, four, …', async () => {
    const world = testingWorld()
    const sizes: number[] = []
    const consumer = world.consumer()
    consumer.channel('work', { deadLetter: 'dead' }).onBatch(
      Job,
      (messages) => {
        sizes.push(messages.length)
        return allDone(messages)
      },
      { size: 100, wait: '1m' },
    )
    await consumer.start()
    for (let n = 0; n < 15; n++) await world.broker.send({ name: 'work' }, { type: 'job', body: null, headers: [] })
    await world.clock.settle()
    expect([sizes, world.clock.monotonic()]).toEqual([[1, 2, 4, 8], 0])
  })

  it('is handled at most `concurrency` at a time, however many messages it holds', async () => {
    let running = 0
    let most = 0
    const play = await playBatches(
      async (messages) => {
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => play.world.clock.after(100, resolve))
        running--
        return allDone(messages)
      },
      { channel: { concurrency: 2 }, batch: { size: 5, wait: '0ms' } },
    )
    await play.put(...Array.from({ length: 60 }, (_, n) => `m${n}`))
    await play.world.clock.advance(hour)
    expect([most, play.told('completed').length]).toEqual([2, 60])
    expect(play.calls.every((call) => call.length <= 5)).toBe(true)
  })

  it('holds messages of one type: each handler has batches of its own, beside handlers of single messages', async () => {
    const world = testingWorld()
    const calls: unknown[] = []
    const consumer = world.consumer()
    const [A, B, C] = ['a', 'b', 'c'].map((type) => defineMessage(type)) as [typeof Job, typeof Job, typeof Job]
    const record = (messages: Messages): BatchOutcome[] => {
      calls.push(messages.map(({ value }) => value))
      return allDone(messages)
    }
    consumer
      .channel('work', { deadLetter: 'dead' })
      .onBatch(A, record)
      .onBatch(B, record)
      .on(C, (value) => void calls.push(value))
    await consumer.start()
    for (let n = 0; n < 12; n++) {
      for (const type of ['a', 'b', 'c'])
        await world.broker.send({ name: 'work' }, { type, body: Buffer.from(`"${type}"`), headers: [] })
    }
    await world.clock.advance(hour)
    expect([...new Set(calls.flat())].sort()).toEqual(['a', 'b', 'c'])
    expect(calls.every((call) => new Set([call].flat()).size === 1)).toBe(true)
    expect(world.of('completed')).toHaveLength(36)
  })

  it('never holds what does not decode or is not valid', async () => {
    const play = await playBatches(allDone)
    await play.world.broker.send({ name: 'work' }, { id: 'torn', type: 'job', body: Buffer.from('{"torn'), headers: [] })
    await play.put('1', '2')
    await play.world.clock.advance(1000)
    expect([play.calls, play.told('invalid'), play.told('completed')]).toEqual([[['1', '2']], ['torn'], ['1', '2']])
  })

  it('is told by each message what it is', async () => {
    const seen: unknown[] = []
    const play = await playBatches((messages, { channel }) => {
      for (const { context } of messages)
        seen.push([channel, context.channel, context.message.id, context.attempt, context.retryCount])
      return allDone(messages)
    })
    await play.put('1', '2')
    await play.world.clock.advance(1000)
    expect(seen).toEqual([
      ['work', 'work', '1', 1, 0],
      ['work', 'work', '2', 1, 0],
    ])
  })
})

describe('what a batch handler says', () => {
  it('becomes of each message what was said about it', async () => {
    const play = await playBatches((messages) => {
      const [done, failed, permanent, retry, buried, invalid, discarded] = messages
      if (!discarded) return messages.map((message) => message.failed(new Error('again')))
      return [
        done?.done(),
        failed?.failed(new Error('ECONNRESET')),
        permanent?.failed(new PermanentError('no')),
        retry?.retry({ delay: '5m' }),
        buried?.deadLetter('Fraud', 'not like this'),
        invalid?.invalid('no amount'),
        discarded.discard('Old'),
      ].filter((outcome) => outcome !== undefined)
    })
    await play.put('done', 'failed', 'permanent', 'retry', 'buried', 'invalid', 'discarded')
    await play.world.clock.advance(1000)
    expect(play.told('completed')).toEqual(['done'])
    expect(play.world.of('retried')).toMatchObject([
      { messageId: 'failed', delayMs: 60_000, reason: 'RetryableError' },
      { messageId: 'retry', delayMs: 300_000, errorType: 'HandlerOutcome' },
    ])
    expect(play.world.of('dead-lettered')).toMatchObject([
      { messageId: 'permanent', reason: 'NonRetryableError' },
      { messageId: 'buried', reason: 'Fraud', description: 'not like this' },
    ])
    expect(play.world.of('invalid')).toMatchObject([{ messageId: 'invalid', description: 'no amount' }])
    expect(play.world.of('discarded')).toMatchObject([{ messageId: 'discarded', reason: 'Old' }])
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['something else', 'done'],
    ['an empty list', []],
  ])('counts alone: a handler that returns %s has completed nothing', async (_, answer) => {
    const play = await playBatches(() => answer as BatchOutcome[])
    await play.put('1', '2')
    await play.world.clock.advance(hour)
    expect([play.told('completed'), play.told('dead-lettered')]).toEqual([[], ['1', '2']])
    expect(play.world.of('failed')[0]).toMatchObject({
      errorType: 'RedriveError',
      description: expect.stringContaining('did not say'),
    })
  })

  it('quotes no neighbour, even where it is told of another message', async () => {
    const play = await playBatches((messages) =>
      messages.map((message) => message.failed(new PermanentError('cannot book neighbour-7731'))),
    )
    await play.put('neighbour-7731', 'innocent')
    await play.world.clock.advance(1000)
    const [letter] = (await play.world.letters()).filter(({ id }) => id === 'innocent')
    expect(letter?.headers.find(([name]) => name === 'redrive-description')?.[1]).toContain('REDACTED')
  })

  it('does not count against those whom it forgot in company: they are called again, alone', async () => {
    const play = await playBatches((messages) => [messages[0]?.done()].filter((outcome) => outcome !== undefined))
    await play.put('1', '2', '3')
    await play.world.clock.advance(1000)
    expect([play.calls, play.told('completed'), play.told('failed')]).toEqual([
      [['1', '2', '3'], ['2'], ['3']],
      ['1', '2', '3'],
      [],
    ])
  })
})

describe('a batch that fails as a whole', () => {
  it('blames only the culprit, however often it throws', async () => {
    const play = await playBatches(throwsAt('4', new Error('row 4 is bad')))
    await play.put(...ten)
    await play.world.clock.advance(hour)
    expect(play.told('dead-lettered')).toEqual(['4'])
    expect(play.world.of('dead-lettered')).toMatchObject([
      { reason: 'MaxDeliveryCountExceeded', description: 'row 4 is bad', attempt: 3 },
    ])
    expect(play.told('completed').toSorted()).toEqual(ten.filter((id) => id !== '4'))
    expect(new Set(play.told('failed'))).toEqual(new Set(['4']))
  })

  it('calls each of its messages again, alone, and then the culprit never again in company', async () => {
    const play = await playBatches(throwsAt('1', new Error('bad')), { channel: { concurrency: 1 } })
    await play.put('0', '1', '2')
    await play.world.clock.advance(1000)
    expect(play.calls).toEqual([['0', '1', '2'], ['0'], ['1'], ['2']])
    await play.put('3')
    await play.world.clock.advance(hour)
    expect(play.calls.slice(4)).toEqual([['3'], ['1'], ['1']])
  })

  it('says so, without a payload', async () => {
    const play = await playBatches(throwsAt('1', new TypeError('secret row')))
    await play.put('0', '1')
    await play.world.clock.advance(1000)
    expect(play.world.of('batch-split')).toEqual([{ channel: 'work', messageType: 'job', size: 2, errorType: 'TypeError' }])
    const lines = play.world.logs.filter(({ message }) => message.startsWith('A batch failed'))
    expect(lines).toMatchObject([{ level: 'warn', fields: { size: 2 } }])
    expect(JSON.stringify(lines)).not.toContain('secret')
    expect(play.consumer.metrics().find(({ name }) => name === 'batches_split_total')?.points).toMatchObject([{ value: 1 }])
  })

  it('gives each call values of its own, whatever the one before did to them', async () => {
    const seen: unknown[] = []
    const play = await playBatches((messages) => {
      for (const { value } of messages as readonly { value: { n: number } }[]) seen.push(value.n++)
      if (messages.length > 1) throw new Error('as a whole')
      return allDone(messages)
    })
    for (const n of [1, 5]) await play.world.put({ n })
    await play.world.clock.advance(1000)
    expect(seen).toEqual([1, 5, 1, 5])
  })

  it('by its timeout dead-letters nobody but the one that also times out alone', async () => {
    const play = await playBatches(
      async (messages, { signal }) => {
        if (messages.some(({ value }) => value === 'slow')) await untilAborted(signal)
        return allDone(messages)
      },
      { batch: { timeout: '5s' } },
    )
    await play.put('0', 'slow', '2')
    await play.world.clock.advance(60_000)
    expect([play.told('completed'), play.told('dead-lettered')]).toEqual([['0', '2'], ['slow']])
    expect(play.world.of('timed-out')).toMatchObject([{ messageId: 'slow', timeoutMs: 5000 }])
  })

  it('counts when it answers after its timeout: a late success is a success', async () => {
    const play = await playBatches(
      async (messages) => {
        await new Promise<void>((resolve) => play.world.clock.after(8000, resolve))
        return allDone(messages)
      },
      { batch: { timeout: '5s' } },
    )
    await play.put('0', '1')
    await play.world.clock.advance(60_000)
    expect([play.calls.length, play.told('completed')]).toEqual([1, ['0', '1']])
  })

  it('starts the clock of its timeout when it is called, not when its first message came', async () => {
    const play = await playBatches(
      async (messages) => {
        await new Promise<void>((resolve) => play.world.clock.after(900, resolve))
        return allDone(messages)
      },
      { batch: { wait: '30s', timeout: '1s' } },
    )
    await play.put('0')
    await play.world.clock.advance(60_000)
    expect([play.told('completed'), play.world.of('timed-out')]).toEqual([['0'], []])
  })

  it('is split where its handler is stuck and may be overlapped, and dead-letters only who is stuck alone', async () => {
    const play = await playBatches(
      (messages) => (messages.some(({ value }) => value === 'deaf') ? new Promise(() => {}) : allDone(messages)),
      {
        channel: { onStuck: 'overlap', maxHold: '1m' },
        batch: { timeout: '5s' },
      },
    )
    await play.put('0', 'deaf', '2')
    await play.world.clock.advance(10 * 60_000)
    expect([play.told('completed'), play.told('dead-lettered')]).toEqual([['0', '2'], ['deaf']])
  })
})

describe('a process that dies with a batch', () => {
  it('makes suspects of all its messages, which then run alone; only the culprit is counted', async () => {
    const world = testingWorld()
    await provision(world.broker)
    for (const value of ten) await world.put(value, { id: value })
    let deaths = 0
    for (let life = 0; life < 16; life++) {
      const process = world.broker.connect()
      const consumer = world.consumer({ transport: process })
      consumer.channel('work', { deadLetter: 'dead', prefetch: 64 }).onBatch(
        Job,
        (messages) => {
          if (!messages.some(({ value }) => value === '7')) return allDone(messages)
          deaths++
          process.faults.loseConnection()
          return new Promise(() => {})
        },
        { size: 10, wait: '0ms' },
      )
      await consumer.start()
      const before = deaths
      for (let n = 0; n < 50 && deaths === before; n++) await world.clock.advance(1)
      process.faults.down()
      await world.clock.settle()
    }
    expect(world.of('dead-lettered')).toMatchObject([{ messageId: '7', reason: 'PoisonMessage' }])
    expect(new Set(world.of('completed').map(({ messageId }) => messageId))).toEqual(new Set(ten.filter((id) => id !== '7')))
    expect(await world.letters('work')).toEqual([])
  })

  it('leaves suspects that run alone even where a batch waits to be filled', async () => {
    const play = await playBatches(allDone, { batch: { wait: '1m' } })
    await play.put('0', '1')
    const dying = play.world.broker.connect()
    await play.world.broker.send({ name: 'work' }, { id: 'suspect', type: 'job', body: Buffer.from('"suspect"'), headers: [] })
    expect(play.calls).toEqual([])
    play.world.broker.faults.loseConnection()
    await play.world.clock.advance(hour)
    expect(play.calls.filter((call) => call.includes('0') || call.includes('1')).every((call) => call.length === 1)).toBe(true)
    await dying.close()
  })
})

describe('messages of one key in a batch', () => {
  const lane = { order: 'lane' } as const

  it('come along in their order', async () => {
    const play = await playBatches(allDone, { channel: lane })
    await play.put('a1', 'b1', 'a2', 'a3', 'b2')
    await play.world.clock.advance(1000)
    expect(play.calls).toHaveLength(1)
    expect(play.calls[0]?.filter((value) => String(value).startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
    expect(play.told('completed').filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  })

  it('are settled one after the other, each only when the one before is gone', async () => {
    const play = await playBatches(allDone, { channel: lane })
    play.world.broker.faults.on('settle.complete', ({ message }) => (message?.id === 'a1' ? { delay: 5000 } : undefined))
    await play.put('a1', 'a2', 'b1')
    await play.world.clock.advance(3000)
    expect(play.told('completed')).toEqual(['b1'])
    await play.world.clock.advance(10_000)
    expect(play.told('completed')).toEqual(['b1', 'a1', 'a2'])
  })

  it('are not done before the one that failed, whatever was said about them; other keys go on', async () => {
    let attempts = 0
    const play = await playBatches(
      allBut('a1', (message) => [++attempts === 1 ? message.failed(new Error('not now')) : message.done()]),
      { channel: lane },
    )
    await play.put('a1', 'a2', 'b1', 'a3')
    await play.world.clock.advance(30_000)
    expect([play.told('completed'), play.told('released')]).toEqual([['b1'], ['a2', 'a3']])
    await play.world.clock.advance(hour)
    expect(play.told('completed')).toEqual(['b1', 'a1', 'a2', 'a3'])
    expect(play.told('failed')).toEqual(['a1'])
  })

  it('run again behind one that fails and runs again at once', async () => {
    let attempts = 0
    const play = await playBatches(
      allBut('a1', (message) => [++attempts === 1 ? message.failed(new Error('not now')) : message.done()]),
      { channel: { ...lane, retry: { immediate: 1 } } },
    )
    await play.put('a1', 'a2', 'b1')
    await play.world.clock.advance(30_000)
    expect(play.calls.map((call) => call.filter((value) => value !== 'b1'))).toEqual([['a1', 'a2'], ['a1'], ['a2']])
    expect(play.told('completed')).toEqual(['b1', 'a1', 'a2'])
  })

  it('run again, uncounted, behind one that is dead-lettered', async () => {
    const play = await playBatches(
      allBut('a1', (message) => [message.failed(new PermanentError('never'))]),
      { channel: lane },
    )
    await play.put('a1', 'a2')
    await play.world.clock.advance(30_000)
    expect([play.calls, play.told('dead-lettered'), play.told('completed')]).toEqual([[['a1', 'a2'], ['a2']], ['a1'], ['a2']])
    expect(play.world.of('completed')).toMatchObject([{ attempt: 1 }])
  })

  it('stop one another only within their key when the batch throws', async () => {
    const play = await playBatches(throwsAt('a1', new Error('bad')), { channel: lane })
    await play.put('a1', 'a2', 'b1', 'b2')
    await play.world.clock.advance(30_000)
    expect([play.told('completed'), play.told('released')]).toEqual([['b1', 'b2'], ['a2']])
    await play.world.clock.advance(hour)
    expect([play.told('dead-lettered'), play.told('completed')]).toEqual([['a1'], ['b1', 'b2', 'a2']])
  })

  it('wait for the handler before they go back behind one whose hold was lost', async () => {
    const handled = gate()
    const play = await playBatches(
      async (messages) => {
        await handled.promise
        return allDone(messages)
      },
      { channel: { ...lane, hold: '10s' }, batch: { timeout: '1h' } },
    )
    await play.put('a1', 'a2')
    play.world.broker.faults.on('extend', ({ message }) => (message?.id === 'a1' ? { fail: 'unreachable' } : undefined))
    await play.world.clock.advanceUntil(() => play.world.of('hold-lost').length > 0, hour)
    play.world.broker.faults.clear()
    await play.world.clock.advance(1000)
    expect(play.told('released')).not.toContain('a2')
    handled.resolve()
    await play.world.clock.advance(1000)
    expect(play.told('released')).toContain('a2')
    await play.world.clock.advance(hour)
    expect(play.told('completed')).toEqual(['a1', 'a2'])
  })
})

describe('stopping a consumer of batches', () => {
  it('gives back what only waited to be gathered, uncounted, and lets the batch that runs finish', async () => {
    const handled = gate()
    const play = await playBatches(
      async (messages) => {
        await handled.promise
        return allDone(messages)
      },
      { batch: { size: 2, wait: '1m' } },
    )
    await play.put('0', '1', '2')
    const stopped = play.consumer.stop()
    await play.world.clock.settle()
    expect(play.told('released')).toEqual(['2'])
    handled.resolve()
    await stopped
    expect([play.told('completed'), play.told('failed')]).toEqual([['0', '1'], []])
  })

  it('dead-letters nobody: what its signal broke off goes back uncounted', async () => {
    const play = await playBatches((_, { signal }) => untilAborted(signal), {
      consumer: { drain: '1s' },
      batch: { timeout: '1h' },
    })
    await play.put('0', '1')
    await play.world.clock.advance(1000)
    const stopped = play.consumer.stop()
    await play.world.clock.advance(5000)
    await stopped
    expect([play.told('released').toSorted(), play.told('failed'), await play.world.letters()]).toEqual([['0', '1'], [], []])
    const receiver = await play.world.broker.receive({ name: 'work' }, { prefetch: 2, hold: 1000 })
    expect(await receiver.take(2, 0)).toMatchObject([{ turns: 0 }, { turns: 0 }])
  })
})

describe('an outage with batches', () => {
  it('opens the breaker, dead-letters nobody, and ends with everything processed', async () => {
    let isDown = true
    const play = await playBatches((messages) => {
      if (isDown) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
      return allDone(messages)
    })
    const many = Array.from({ length: 60 }, (_, n) => `m${n}`)
    await play.put(...many)
    await play.world.clock.advance(5 * 60_000)
    expect([play.consumer.channels()[0]?.state, play.told('completed')]).toEqual(['outage', []])
    isDown = false
    await play.world.clock.advance(hour)
    expect([play.told('completed').toSorted(), play.told('dead-lettered')]).toEqual([many.toSorted(), []])
  })
})

describe('what was gathered when the breaker opened', () => {
  it('is parked, and not called beside the probes', async () => {
    let isDown = true
    const play = await playBatches(
      (messages) => {
        if (isDown) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
        return allDone(messages)
      },
      { channel: { breaker: { runs: 4, probeAfter: '1m' } }, batch: { size: 5, wait: '30s' } },
    )
    await play.put('0', '1', '2', '3', '4', 'gathered')
    await play.world.clock.advance(50_000)
    expect([play.consumer.channels()[0], play.calls.flat().includes('gathered')]).toMatchObject([
      { state: 'outage', parked: 3 },
      false,
    ])
    expect(play.told('failed')).not.toContain('gathered')
    isDown = false
    await play.world.clock.advance(hour)
    expect(play.told('completed').toSorted()).toEqual(['0', '1', '2', '3', '4', 'gathered'])
    expect(play.world.of('completed')).toContainEqual(expect.objectContaining({ messageId: 'gathered', attempt: 1 }))
  })

  it('is let go where its hold is lost before its run has come to its end', async () => {
    let isDown = true
    const play: Awaited<ReturnType<typeof playBatches>> = await playBatches(
      (messages) => {
        if (isDown) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
        return allDone(messages)
      },
      {
        channel: { breaker: { runs: 4, probeAfter: '1m' } },
        batch: { size: 5, wait: '30s' },
        async middleware({ message: { id } }, next) {
          try {
            await next()
          } finally {
            if (id === 'gathered' && isDown) await new Promise<void>((resolve) => play.world.clock.after(20_000, resolve))
          }
        },
      },
    )
    await play.put('0', '1', '2', '3', '4', 'gathered')
    await play.world.clock.advance(10_000)
    play.world.broker.faults.loseConnection()
    await play.world.clock.advance(30_000)
    isDown = false
    await play.world.clock.advance(hour)
    expect([play.consumer.channels()[0]?.state, play.told('completed').toSorted()]).toEqual([
      'consuming',
      ['0', '1', '2', '3', '4', 'gathered'],
    ])
  })

  it('is not called beside a probe either when the one ahead of it has gone, however long the outage has been', async () => {
    let running = 0
    let most = 0
    let isOpen = false
    const play: Awaited<ReturnType<typeof playBatches>> = await playBatches(
      async (messages) => {
        running++
        if (isOpen) most = Math.max(most, running)
        await new Promise<void>((resolve) => play.world.clock.after(15_000, resolve))
        running--
        const error = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
        // It stops with a key that has failed.
        return messages.filter(({ value }) => value !== 'a2' || messages.length === 1).map((message) => message.failed(error))
      },
      {
        channel: {
          order: 'lane',
          retry: { delayed: { retries: 0 } },
          breaker: { runs: 2, probeAfter: '10s', probeAtMost: '10s', pardon: '1m' },
        },
      },
    )
    await play.put('c1', 'd1', 'e1', 'a1', 'a2')
    await play.world.clock.advance(17_000)
    expect(play.consumer.channels()[0]?.state).toBe('outage')
    isOpen = true
    await play.world.clock.advance(10 * 60_000)
    expect([most, play.told('dead-lettered')]).toEqual([1, expect.arrayContaining(['a1', 'a2'])])
  })
})

describe('who stands behind one of its key that waits', () => {
  /** Somebody else has this one in hand; it comes back as a suspect when that one dies. */
  async function inOtherHands(play: Awaited<ReturnType<typeof playBatches>>, value: string): Promise<() => void> {
    play.consumer.pause('work')
    await play.put(value)
    const other = play.world.broker.connect()
    await (await other.receive({ name: 'work' }, { prefetch: 1, hold: hour })).take(1, 0)
    play.consumer.resume('work')
    return () => other.faults.loseConnection()
  }

  it('for its dead-letter channel is in no way of suspects, and is settled behind it', async () => {
    const play = await playBatches(
      allBut('a1', (message) => [message.deadLetter('Fraud')]),
      { channel: { order: 'lane' } },
    )
    const die = await inOtherHands(play, 'b1')
    play.world.broker.faults.refuse('dead')
    await play.put('a1', 'a2')
    await play.world.clock.advance(5000)
    die()
    await play.world.clock.advance(10_000)
    expect(play.told('completed')).toEqual(['b1'])
    play.world.broker.faults.clear()
    await play.world.clock.advance(60_000)
    expect([play.told('dead-lettered'), play.told('completed')]).toEqual([['a1'], ['b1', 'a2']])
  })

  it('for the end of an outage is in no way of suspects, and runs behind it', async () => {
    let isDown = true
    const play = await playBatches(
      (messages) => {
        if (isDown) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
        return allDone(messages)
      },
      { channel: { order: 'lane', breaker: { runs: 2, probeAfter: '1m', probeAtMost: '1m' } } },
    )
    const die = await inOtherHands(play, 'b1')
    await play.put('c1', 'a1', 'a2')
    await play.world.clock.advance(5000)
    expect(play.consumer.channels()[0]?.state).toBe('outage')
    die()
    await play.world.clock.advance(3 * 60_000)
    expect(play.calls.flat()).toContain('b1')
    isDown = false
    await play.world.clock.advance(hour)
    const completed = play.told('completed')
    expect(completed.toSorted()).toEqual(['a1', 'a2', 'b1', 'c1'])
    expect(completed.indexOf('a1')).toBeLessThan(completed.indexOf('a2'))
  })
})

describe('middleware around a batch handler', () => {
  it('wraps each message by itself', async () => {
    const steps: string[] = []
    const play = await playBatches(
      allBut('1', (message) => [message.deadLetter('Fraud')]),
      {
        async middleware({ message: { id } }, next) {
          if (id === '2') return
          steps.push(`${id} in`)
          try {
            await next()
            steps.push(`${id} out`)
          } catch {
            steps.push(`${id} failed`)
          }
        },
      },
    )
    await play.put('0', '1', '2')
    await play.world.clock.advance(1000)
    expect(steps).toEqual(['0 in', '1 in', '0 out', '1 failed'])
    expect([play.calls, play.told('completed').toSorted(), play.told('dead-lettered')]).toEqual([[['0', '1']], ['0', '2'], ['1']])
  })
})

describe('the options of a batch handler', () => {
  const declare = (options: object, channel: object = {}) =>
    testingWorld()
      .consumer()
      .channel('work', { deadLetter: 'dead', ...channel })
      .onBatch(Job, allDone, options)

  it.each([
    [{ size: 0 }, 'size'],
    [{ size: 10_001 }, 'size'],
    [{ wait: '2m' }, 'wait'],
    [{ timeout: -1 }, 'timeout'],
  ])('are checked: %j', (options, name) => {
    expect(() => declare(options)).toThrow(
      expect.objectContaining({ code: 'bad-option', message: expect.stringContaining(name) }),
    )
  })

  it('name the one that was probably meant', () => {
    expect(() => declare({ sise: 5 })).toThrow(
      expect.objectContaining({ code: 'unknown-option', message: expect.stringContaining('size') }),
    )
  })

  it('refuse a batch that could never be full', () => {
    expect(() => declare({ size: 65 }, { prefetch: 64 })).toThrow(
      expect.objectContaining({ message: expect.stringContaining('prefetch') }),
    )
    declare({ size: 64 }, { prefetch: 64 })
  })

  it('refuse a second handler, and what is no function', () => {
    expect(() => declare({}).on(Job, () => {})).toThrow('a handler is there already')
    expect(() => declare({}).onBatch(defineMessage('other'), undefined as never)).toThrow('no function')
  })
})
