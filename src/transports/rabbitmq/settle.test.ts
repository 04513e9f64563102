import type { Channel } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createLedger, type Ledger } from './settle.ts'

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

function setUp(received = 0) {
  const clock = virtualClock()
  const recording = recordingChannel()
  let silences = 0
  const ledger: Ledger = createLedger(recording.channel, { clock, answerWithin: 1000, silent: () => void silences++ })
  for (let tag = 1; tag <= received; tag++) ledger.received(tag)
  return { clock, ledger, silences: () => silences, ...recording }
}

describe('settlements', () => {
  test('made together share one acknowledgement and one question', async () => {
    const { ledger, frames, clock } = setUp(3)
    for (const tag of [2, 1, 3]) ledger.ack(tag)
    await clock.settle()
    expect(frames).toEqual(['ack 3 and below', 'question'])
  })

  test('above a gap are acknowledged alone, so that what is still held stays held', async () => {
    const { ledger, frames, clock } = setUp(5)
    for (const tag of [1, 2, 4, 5]) ledger.ack(tag)
    await clock.settle()
    expect(frames).toEqual(['ack 4', 'ack 5', 'ack 2 and below', 'question'])
  })

  test('that give back go before any range that would take them along', async () => {
    const { ledger, frames, clock } = setUp(3)
    ledger.ack(1)
    ledger.nack(2, true)
    ledger.ack(3)
    await clock.settle()
    expect(frames).toEqual(['nack 2 requeue', 'ack 3 and below', 'question'])
  })

  test('resolve when the question behind them is answered, and those made meanwhile share the next one', async () => {
    const { ledger, frames, answer, clock } = setUp(3)
    const done: number[] = []
    const settle = (tag: number) => void ledger.ack(tag).done.then(() => done.push(tag))
    settle(1)
    await clock.settle()
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

  test('that were not answered when the channel is lost are unsure, and nothing is written any more', async () => {
    const { ledger, frames, clock, refuse } = setUp(2)
    const first = ledger.ack(1)
    await clock.settle()
    const second = ledger.ack(2)
    refuse()
    await expect(first.done).rejects.toMatchObject({ code: 'unsure' })
    await expect(second.done).rejects.toMatchObject({ code: 'unsure' })
    await clock.settle()
    expect([first.failed, second.failed, frames]).toEqual([true, true, ['ack 1 and below', 'question']])
  })

  test('that a silent broker does not answer are reported once their time is up', async () => {
    const { ledger, clock, silences } = setUp(1)
    ledger.ack(1)
    await clock.advance(999)
    expect(silences()).toBe(0)
    await clock.advance(2)
    expect(silences()).toBe(1)
  })
})
