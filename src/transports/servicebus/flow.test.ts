import type { ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus'
import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { openFlow } from './flow.ts'

const answerWithin = 10_000

interface Handlers {
  processMessage(message: ServiceBusReceivedMessage): Promise<void>
  postInitialize(): Promise<void>
}

interface Stream {
  _messageHandlers: () => Handlers
  readonly _receiverHelper: { addCredit(count: number): void }
}

const message = {} as ServiceBusReceivedMessage

/** A receiver as the SDK makes it; what it is asked for is its credit. */
function stage(width: number, changes: (stream: Stream) => object = (stream) => stream) {
  const clock = virtualClock()
  const state = { credit: 0, arrived: 0, isGone: false }
  const addCredit = (count: number): void => {
    if (state.isGone) throw new Error('The link is gone.')
    state.credit += count
  }
  const receiver: { _streamingReceiver?: object } & Record<string, unknown> = {
    subscribe(handlers: Handlers, { maxConcurrentCalls }: { maxConcurrentCalls: number }) {
      const stream: Stream = { _messageHandlers: () => handlers, _receiverHelper: { addCredit } }
      receiver._streamingReceiver = changes(stream)
      state.credit = maxConcurrentCalls
      return { close: async () => {} }
    },
  }
  const flow = openFlow(
    receiver as unknown as Pick<ServiceBusReceiver, 'subscribe'>,
    width,
    { clock, answerWithin },
    {
      arrived: () => void state.arrived++,
      failed() {},
    },
  )
  const handlers = (): Handlers => (receiver._streamingReceiver as Stream)._messageHandlers()
  /** As the SDK does it: a callback for each message, and one more is asked for when that ends. */
  const bring = (): void => {
    state.credit--
    void handlers()
      .processMessage(message)
      .then(() => addCredit(1))
  }
  const attach = (): Promise<void> => {
    state.isGone = false
    state.credit = width
    return handlers().postInitialize()
  }
  return { clock, state, flow, bring, attach }
}

/** The SDK as it is, and one that it may become: there the callbacks end. */
const sdks: readonly (readonly [string, (stream: Stream) => object])[] = [
  ['as it is known', (stream) => stream],
  ['whose credit is elsewhere', (stream) => ({ ...stream, _receiverHelper: {} })],
]

test.each(sdks)(
  'a link of an SDK %s brings what it was asked for, and is asked for no more than has come',
  async (_, changes) => {
    const { state, flow, bring } = stage(3, changes)
    expect([flow.expected, state.credit]).toEqual([3, 3])
    expect(flow.askFor(2)).toBe(0)
    bring()
    bring()
    expect([flow.expected, state.arrived]).toEqual([1, 2])
    expect(flow.askFor(5)).toBe(2)
    await new Promise((resolve) => setImmediate(resolve))
    expect([flow.expected, state.credit]).toEqual([3, 3])
  },
)

test.each(sdks)('a new link of an SDK %s begins with its whole width', async (_, changes) => {
  const { state, flow, bring, attach } = stage(2, changes)
  bring()
  state.isGone = true
  await attach()
  expect([flow.generation, flow.expected]).toEqual([1, 2])
  expect(flow.askFor(1)).toBe(0)
  await new Promise((resolve) => setImmediate(resolve))
  expect(state.credit).toBe(2)
})

test('a link is made wider where the SDK is as it is known, and is as narrow as at first when it is attached anew', async () => {
  const { state, flow, bring, attach } = stage(1)
  bring()
  flow.widen(3)
  expect([flow.width, flow.expected, state.credit]).toEqual([3, 0, 0])
  expect([flow.askFor(5), flow.expected, state.credit]).toEqual([3, 3, 3])
  await attach()
  expect([flow.width, flow.expected, state.credit]).toEqual([3, 1, 1])
  expect([flow.askFor(5), state.credit]).toEqual([2, 3])
})

test('a link whose callbacks must end stays as wide as it was opened', () => {
  const { flow, bring } = stage(1, (stream) => ({ ...stream, _receiverHelper: {} }))
  bring()
  flow.widen(3)
  expect([flow.width, flow.askFor(5)]).toEqual([1, 1])
})

test('what is asked of a link that is gone is forgotten', async () => {
  const { state, flow, bring, attach } = stage(2)
  bring()
  state.isGone = true
  expect(flow.askFor(1)).toBe(1)
  await attach()
  expect([flow.expected, state.credit]).toEqual([2, 2])
})

test('what a new link was asked for before the SDK asks it is expected too', async () => {
  const link = { credit: 0, close: async () => {} }
  const { flow, bring, attach } = stage(2, (stream) => ({ ...stream, _link: link }))
  bring()
  link.credit += flow.askFor(1)
  await attach()
  expect(flow.expected).toBe(3)
})

test('nothing is expected of a link that was stopped, and it is asked for nothing', async () => {
  const { state, flow, bring } = stage(2)
  bring()
  await flow.stop()
  expect([flow.expected, flow.askFor(1), state.credit]).toEqual([0, 0, 1])
})

/** The SDK's links have their verbs from their class. */
function linkClosedBy(close: () => Promise<void>): { readonly credit: number; close(): Promise<void> } {
  return Object.assign(Object.create({ close }), { credit: 0 })
}

/** As the SDK's link does when the connection breaks before the answer is there: it neither ends nor fails. */
test('to close a link that never answers ends all the same', async () => {
  const link = linkClosedBy(() => new Promise(() => {}))
  const { clock, attach } = stage(1, (stream) => ({ ...stream, _link: link }))
  await attach()
  let isClosed = false
  void link.close().then(() => {
    isClosed = true
  })
  await clock.advance(answerWithin - 1)
  expect(isClosed).toBe(false)
  await clock.advance(1)
  expect(isClosed).toBe(true)
})

test.each<[string, () => Promise<void>]>([
  ['answers', async () => {}],
  ['fails', () => Promise.reject(new Error('no answer'))],
])('to close a link that %s ends at once, and leaves no timer behind', async (_, close) => {
  const link = linkClosedBy(close)
  const { clock, attach } = stage(1, (stream) => ({ ...stream, _link: link }))
  await attach()
  await link.close()
  expect(clock.pending).toBe(0)
})
