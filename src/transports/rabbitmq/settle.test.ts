import type { Channel } from 'amqplib'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../core/ports.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Consumer } from './credit.ts'
import { createLedger } from './settle.ts'

/** A channel that writes down what it is told and answers questions when the test says so. */
function recordingChannel() {
  const frames: string[] = []
  const questions: PromiseWithResolvers<void>[] = []
  const tag = (message: { fields: { deliveryTag: number } }) => message.fields.deliveryTag
  const channel = {
    ack: (message: never, multiple = false) => void frames.push(`ack ${tag(message)}${multiple ? ' and below' : ''}`),
    nack: (message: never, _: boolean, requeue: boolean) =>
      void frames.push(`nack ${tag(message)} ${requeue ? 'requeue' : 'drop'}`),
    prefetch() {
      frames.push('question')
      const question = Promise.withResolvers<void>()
      questions.push(question)
      return question.promise
    },
  } as unknown as Channel
  return {
    channel,
    frames,
    answer: () => questions.shift()?.resolve(),
    refuse: () => questions.shift()?.reject(new Error('gone')),
  }
}

/** `allowed` is how many deliveries the broker may have out at a time. */
function setUp(received = 0, allowed = 1000, ledgersClock?: (real: Clock) => Clock) {
  const clock = virtualClock()
  const recording = recordingChannel()
  let silences = 0
  let bundles = 0
  const consumer: Consumer = { credit: allowed, unsettled: 0, out: 0, left: false, tag: Promise.resolve('consumer') }
  const finished = [consumer]
  const forgotten: unknown[] = []
  let written = 0
  const ledger = createLedger(recording.channel, {
    clock: ledgersClock?.(clock) ?? clock,
    answerWithin: 1000,
    credit: {
      allowed,
      finished,
      settled: () => {},
      written: () => void written++,
      rangeWritten: () => {},
      forget: (consumers) => void forgotten.push(consumers),
    },
    bundle: () => void bundles++,
    silent: () => void silences++,
  })
  const receive = (from: number, to: number): void => {
    for (let tag = from; tag <= to; tag++) ledger.received(tag)
  }
  receive(1, received)
  return {
    clock,
    ledger: {
      ...ledger,
      ack: (tag: number) => ledger.ack({ tag, consumer }),
      nack: (tag: number, requeue: boolean) => ledger.nack({ tag, consumer }, requeue),
    },
    receive,
    unanswered: () => ledger.unanswered,
    written: () => written,
    silences: () => silences,
    bundles: () => bundles,
    forgotten: () => forgotten.every((consumers) => consumers === finished) && forgotten.length,
    ...recording,
    /** Long enough for the ledger to ask where no delivery tells. */
    async patience() {
      await clock.advance(11)
    },
  }
}

describe('settlements', () => {
  test('made together share one acknowledgement and one question', async () => {
    const { ledger, frames, patience } = setUp(3)
    for (const tag of [2, 1, 3]) ledger.ack(tag)
    await patience()
    expect(frames).toEqual(['ack 3 and below', 'question'])
  })

  test('above a gap are acknowledged alone, so that what is still held stays held, and leave in one piece', async () => {
    const { ledger, frames, bundles, patience } = setUp(6)
    for (const tag of [1, 2, 4, 5]) ledger.ack(tag)
    await patience()
    expect([frames, bundles()]).toEqual([['ack 4', 'ack 5', 'ack 2 and below', 'question'], 1])
  })

  test('on a channel that does not answer any more are unsure, those that come afterwards as well', async () => {
    const { ledger, refuse, patience } = setUp(3)
    const first = ledger.ack(1).done
    await patience()
    refuse()
    await expect(first).rejects.toMatchObject({ code: 'unsure' })
    await expect(ledger.ack(2).done).rejects.toMatchObject({ code: 'unsure' })
  })

  test('that give back go before any range that would take them along', async () => {
    const { ledger, frames, patience } = setUp(4)
    ledger.ack(1)
    ledger.nack(2, true)
    ledger.ack(3)
    await patience()
    expect(frames).toEqual(['nack 2 requeue', 'ack 3 and below', 'question'])
  })

  test('leave at once when nothing is left that could share their frame', () => {
    const { ledger, frames } = setUp(2)
    ledger.ack(1)
    expect(frames).toEqual([])
    ledger.ack(2)
    expect(frames).toEqual(['ack 2 and below'])
  })

  test('gather while deliveries come, until they are a quarter of what may be out', async () => {
    const { ledger, frames, clock } = setUp(20, 20)
    for (const tag of [1, 2, 3, 4]) {
      ledger.ack(tag)
      await clock.settle()
    }
    expect(frames).toEqual([])
    ledger.ack(5)
    await clock.settle()
    expect(frames).toEqual(['ack 5 and below'])
  })

  test('that gathered leave after a moment when they stay few', async () => {
    expect(await framesAMomentLater()).toEqual(['ack 1 and below'])
  })

  test('planted bug: those that gathered never leave when the moment does not end', async () => {
    expect(await framesAMomentLater((clock) => ({ ...clock, after: () => () => {} }))).toEqual([])
  })

  async function framesAMomentLater(ledgersClock?: (real: Clock) => Clock): Promise<readonly string[]> {
    const { ledger, frames, clock } = setUp(20, 20, ledgersClock)
    ledger.ack(1)
    await clock.settle()
    expect(frames).toEqual([])
    await clock.advance(1)
    return frames
  }

  test('that gathered leave at once when somebody waits for all of them', async () => {
    const { ledger, frames, clock } = setUp(20, 20)
    ledger.ack(1)
    await clock.settle()
    void ledger.settled()
    expect(frames).toEqual(['ack 1 and below', 'question'])
  })

  test('that gathered wait on while they are held back, and leave with the others', async () => {
    const { ledger, frames, clock } = setUp(20, 20)
    ledger.ack(1)
    await clock.settle()
    ledger.holdBack()
    ledger.ack(2)
    await clock.advance(5)
    expect(frames).toEqual([])
    ledger.goOn()
    expect(frames).toEqual(['ack 2 and below'])
  })

  test('that gathered when the channel is lost are unsure, and are written nowhere', async () => {
    const { ledger, frames, clock } = setUp(20, 20)
    const gathered = ledger.ack(1)
    await clock.settle()
    ledger.fail(new Error('gone'))
    await expect(gathered.done).rejects.toMatchObject({ code: 'unsure' })
    await clock.advance(5)
    expect(frames).toEqual([])
  })

  test('resolve when the question behind them is answered, and those made meanwhile share the next one', async () => {
    const { ledger, frames, answer, patience, clock } = setUp(4)
    const done: number[] = []
    const settle = (tag: number) => void ledger.ack(tag).done.then(() => done.push(tag))
    settle(1)
    await patience()
    settle(2)
    settle(3)
    await clock.settle()
    expect([done, frames]).toEqual([[], ['ack 1 and below', 'question', 'ack 3 and below']])
    answer()
    await clock.settle()
    expect([done, frames.slice(3)]).toEqual([[1], ['question']])
    answer()
    await clock.settle()
    expect(done).toEqual([1, 2, 3])
  })

  test('need no question where a delivery comes that the broker sends only when it has taken them', async () => {
    const { ledger, frames, receive, clock } = setUp(2, 2)
    const done: number[] = []
    const settle = (tag: number) => void ledger.ack(tag).done.then(() => done.push(tag))
    settle(1)
    await clock.settle()
    receive(3, 3)
    settle(2)
    await clock.settle()
    expect(done).toEqual([1])
    receive(4, 4)
    await clock.settle()
    expect([done, frames]).toEqual([
      [1, 2],
      ['ack 1 and below', 'ack 2 and below'],
    ])
  })

  test('count as unanswered from the moment they are made until the broker is known to have taken them', async () => {
    const { ledger, receive, unanswered, patience, answer, clock } = setUp(3, 3)
    ledger.ack(1)
    ledger.nack(2, true)
    expect(unanswered()).toBe(2)
    await clock.settle()
    expect(unanswered()).toBe(2)
    receive(4, 5)
    expect(unanswered()).toBe(0)
    ledger.ack(3)
    await patience()
    await patience()
    expect(unanswered()).toBe(1)
    answer()
    await clock.settle()
    expect(unanswered()).toBe(0)
  })

  test('that are held back are not written, except those that give back, and go together afterwards', async () => {
    const { ledger, frames, written, clock } = setUp(4)
    ledger.holdBack()
    ledger.ack(1)
    ledger.nack(2, true)
    ledger.ack(3)
    await clock.settle()
    expect([frames, written()]).toEqual([['nack 2 requeue'], 1])
    ledger.goOn()
    expect([frames.slice(1), written()]).toEqual([['ack 3 and below'], 3])
  })

  test('are asked about later where the broker had sent all that it may and nothing is held that waits for the answer', async () => {
    const { ledger, frames, clock } = setUp(2, 2)
    for (const tag of [1, 2]) ledger.ack(tag)
    await clock.advance(99)
    expect(frames).toEqual(['ack 2 and below'])
    await clock.advance(2)
    expect(frames).toEqual(['ack 2 and below', 'question'])
  })

  test('are asked about at once when nothing came since the last ones', async () => {
    const { ledger, frames, answer, patience, clock } = setUp(3)
    ledger.ack(1)
    await patience()
    answer()
    await clock.settle()
    ledger.ack(2)
    await clock.settle()
    expect(frames).toEqual(['ack 1 and below', 'question', 'ack 2 and below', 'question'])
  })

  test('are asked about at once when somebody waits for all of them', async () => {
    const { ledger, frames, answer, forgotten, clock } = setUp(2)
    ledger.ack(1)
    const settled = ledger.settled()
    await clock.settle()
    expect(frames).toEqual(['ack 1 and below', 'question'])
    answer()
    await settled
    expect(forgotten()).toBe(1)
  })

  test('that were not answered when the channel is lost are unsure, and nothing is written any more', async () => {
    const { ledger, frames, clock, patience, refuse } = setUp(3)
    const first = ledger.ack(1)
    await patience()
    const second = ledger.ack(2)
    refuse()
    await expect(first.done).rejects.toMatchObject({ code: 'unsure' })
    await expect(second.done).rejects.toMatchObject({ code: 'unsure' })
    await clock.settle()
    expect([first.failed, second.failed, frames]).toEqual([true, true, ['ack 1 and below', 'question']])
  })

  test('that a silent broker does not answer are reported once their time is up', async () => {
    const { ledger, clock, patience, silences } = setUp(1)
    ledger.ack(1)
    await patience()
    await clock.advance(998)
    expect(silences()).toBe(0)
    await clock.advance(2)
    expect(silences()).toBe(1)
  })
})
