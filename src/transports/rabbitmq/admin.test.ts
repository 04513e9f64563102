import type { Channel } from 'amqplib'
import { describe, expect, test } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { type Ask, askUntilFound, createAsk } from './admin.ts'
import type { Session } from './connection.ts'

/** A connection whose channels open, and never say that they are closed, as those of a connection that dies meanwhile. */
function setUp() {
  const clock = virtualClock()
  const lost = new AbortController()
  const channel = { on: () => {}, close: () => new Promise<never>(() => {}) } as unknown as Channel
  const session = {
    connection: { createChannel: async () => channel },
    lost: lost.signal,
    drop: (reason: RedriveError) => lost.abort(reason),
  } as unknown as Session
  const link = { session: async () => session, close: async () => {} }
  const ask = createAsk(link, { clock, answerWithin: 1000 })
  return { clock, lost, asked: ask('queue "orders"', async () => 'here') }
}

describe('a question to the broker', () => {
  test('is over when its connection is gone before the channel says that it is closed', async () => {
    const { clock, lost, asked } = setUp()
    await clock.settle()
    lost.abort(new RedriveError('unreachable', 'The connection to RabbitMQ was lost.'))
    await expect(asked).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('ends a connection that does not answer in time, and says what it was about', async () => {
    const { clock, lost, asked } = setUp()
    const refused = expect(asked).rejects.toThrow('did not answer in time when it was asked about queue "orders"')
    await clock.advance(999)
    expect(lost.signal.aborted).toBe(false)
    await clock.advance(1)
    await refused
  })
})

describe('declaring what somebody else declares at the same moment', () => {
  const notFound = new RedriveError('unknown-channel', 'There is no queue "orders" on the broker.', { cause: { code: 404 } })

  /** Says so many times that there is nothing, then answers. */
  function asking(misses: number, error = notFound) {
    let times = 0
    const ask: Ask = async (_about, question) => {
      if (++times <= misses) throw error
      return question({} as Channel, {} as Session, () => {})
    }
    return { answer: askUntilFound(ask)('queue "orders"', async () => 'declared'), times: () => times }
  }

  test('is tried again while the broker cannot find it', async () => {
    await expect(asking(4).answer).resolves.toBe('declared')
  })

  test('fails when it stays away', async () => {
    const { answer, times } = asking(5)
    await expect(answer).rejects.toBe(notFound)
    expect(times()).toBe(5)
  })

  test('fails at once where the broker says anything else', async () => {
    const refused = new RedriveError('access-denied', 'The broker does not let this user use queue "orders".', {
      cause: { code: 403 },
    })
    const { answer, times } = asking(1, refused)
    await expect(answer).rejects.toBe(refused)
    expect(times()).toBe(1)
  })
})
