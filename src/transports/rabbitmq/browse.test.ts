import type { Channel, GetMessage } from 'amqplib'
import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createAsk } from './admin.ts'
import { browse } from './browse.ts'
import type { Session } from './connection.ts'

/** A queue whose broker takes so long for each message, and is waited for a second. */
function queueThatTakes(each: number) {
  const clock = virtualClock()
  const lost = new AbortController()
  const queued: GetMessage = {
    content: Buffer.from('a'),
    fields: { deliveryTag: 1, redelivered: false, exchange: '', routingKey: 'orders', messageCount: 9 },
    properties: { headers: {} },
  } as GetMessage
  const channel = {
    on: () => {},
    get: () => new Promise<GetMessage>((resolve) => clock.after(each, () => resolve(queued))),
    ...{ checkQueue: async () => {}, assertQueue: async () => {}, nackAll: () => {}, close: async () => {} },
  } as unknown as Channel
  const session = {
    connection: { createChannel: async () => channel },
    lost: lost.signal,
    drop: (reason: unknown) => lost.abort(reason),
  } as unknown as Session
  const link = { session: async () => session, close: async () => {} }
  return { clock, browsing: browse(createAsk(link, { clock, answerWithin: 1000 }), 'orders', { limit: 4 }, 100) }
}

test('each message that is looked at has the time of an answer, and not all of them together', async () => {
  const { clock, browsing } = queueThatTakes(900)
  const found = expect(browsing).resolves.toMatchObject({ messages: { length: 4 }, next: '4' })
  for (let taken = 0; taken < 5; taken++) await clock.advance(900)
  await found
})

test('one that does not come in time ends it', async () => {
  const { clock, browsing } = queueThatTakes(1001)
  const refused = expect(browsing).rejects.toMatchObject({ code: 'unreachable' })
  await clock.advance(1001)
  await refused
})
