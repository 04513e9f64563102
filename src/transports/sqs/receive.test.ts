import { describe, expect, test } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import { type VirtualClock, virtualClock } from '../../platform/virtual-clock.ts'
import { createHoldings } from '../visibility/holdings.ts'
import { createOwnPast, type OwnPast } from '../visibility/own-past.ts'
import { createPollPace, type PollPace } from '../visibility/poll-pace.ts'
import type { Api } from './api.ts'
import { resolveOptions, type SqsOptions } from './options.ts'
import type { Queue } from './queues.ts'
import { receiveFrom } from './receive.ts'

const queue: Queue = { name: 'work', url: 'http://127.0.0.1/queue/work', maxMessage: 262_144 }
const minute = 60_000
const pollFor = 5000
/** Who asks without a pause would ask for ever, and no time would pass meanwhile. */
const endless = 1000

/** How long the server waits before it answers with nothing; what it has stands in `messages`. */
interface Server extends Api {
  readonly asked: number[]
  messages: object[]
}

function serverThatWaits(clock: VirtualClock, wait: number): Server {
  const asked: number[] = []
  const server: Server = {
    asked,
    messages: [],
    async ask<Answer>() {
      asked.push(clock.monotonic())
      if (asked.length === endless) return new Promise<Answer>(() => {})
      if (server.messages.length === 0 && wait > 0) await new Promise<void>((resolve) => clock.after(wait, resolve))
      return { Messages: server.messages.splice(0) } as Answer
    },
    async close() {},
  }
  return server
}

type PastOf = (clock: VirtualClock) => OwnPast

function receiving(
  wait: number,
  pace: PollPace = createPollPace(pollFor),
  options: SqsOptions = {},
  pastOf: PastOf = createOwnPast,
) {
  const clock = virtualClock()
  const server = serverThatWaits(clock, wait)
  const neverRan: string[] = []
  const settings = resolveOptions({ clock, pollFor, endpoint: 'http://127.0.0.1:1', ...options })
  const receiver = receiveFrom({
    ...{
      api: server,
      settings,
      queue,
      address: { name: 'work' },
      pace,
      past: pastOf(clock),
      holdings: createHoldings<Queue>(clock, ({ id }) => neverRan.push(id)),
    },
    queues: { find: async () => queue, forget() {} },
    options: { prefetch: 10, hold: 30_000 },
    release: async () => {},
    onClose() {},
  })
  return { clock, receiver, server, neverRan }
}

/** As the runtime asks: whenever a take is over, the next one begins. */
async function askFor(ms: number, { clock, receiver }: Pick<ReturnType<typeof receiving>, 'clock' | 'receiver'>): Promise<void> {
  let isOver = false
  const taking = (async () => {
    while (!isOver) await receiver.take(10, 5000)
  })()
  await clock.advance(ms)
  isOver = true
  await clock.advance(2 * pollFor)
  await taking
}

describe('a server that answers every long poll at once with nothing', () => {
  test('is asked hardly more often than one that waits', async () => {
    const [hasty, patient] = [receiving(0), receiving(pollFor)]
    for (const each of [hasty, patient]) await askFor(10 * minute, each)
    expect(hasty.server.asked.length).toBeLessThan(1.2 * patient.server.asked.length)
  })

  test('is asked without end by whoever never pauses', async () => {
    const reckless = receiving(0, { answered() {}, pause: () => 0 })
    void reckless.receiver.take(10, minute)
    await reckless.clock.advance(minute)
    expect(reckless.server.asked).toHaveLength(endless)
  })

  test('is asked again within a poll when it has something at last, and from then on without a pause', async () => {
    const { clock, receiver, server } = receiving(0)
    await askFor(minute, { clock, receiver })
    server.messages = [{ MessageId: 'a', Body: 'a', ReceiptHandle: 'r' }]
    const from = clock.monotonic()
    const taking = receiver.take(10, 2 * pollFor)
    await clock.advance(2 * pollFor)
    expect((await taking).map(({ position }) => position)).toEqual(['a'])
    expect((server.asked.at(-1) ?? 0) - from).toBeLessThanOrEqual(pollFor)
    server.messages = [{ MessageId: 'b', Body: 'b', ReceiptHandle: 'r' }]
    expect((await receiver.take(10, pollFor)).map(({ position }) => position)).toEqual(['b'])
  })

  test('is asked at once by who does not want to wait', async () => {
    const { clock, receiver, server } = receiving(0)
    await askFor(minute, { clock, receiver })
    void receiver.take(10, 5000)
    await clock.advance(5000)
    const before = server.asked.length
    expect(await receiver.take(10, 0)).toEqual([])
    expect(server.asked).toHaveLength(before + 1)
  })

  test('leaves nothing to be asked when the receiver closes', async () => {
    const { clock, receiver, server } = receiving(0)
    const taking = receiver.take(10, 5000)
    await clock.settle()
    await receiver.close()
    expect(await taking).toEqual([])
    const before = server.asked.length
    await clock.advance(minute)
    expect([server.asked.length, clock.pending]).toEqual([before, 0])
  })
})

test('what was on its way for longer than its hold is not handed out, and has had no turn', async () => {
  const { clock, receiver, server, neverRan } = receiving(0)
  const slow = server.ask
  server.ask = async (question, patience) => {
    const answer = await slow(question, patience)
    await new Promise<void>((resolve) => clock.after(2 * minute, resolve))
    return answer as never
  }
  server.messages = [{ MessageId: 'a', Body: 'a', ReceiptHandle: 'r' }]
  const taking = receiver.take(10, 3 * minute)
  await clock.advance(3 * minute)
  expect(await taking).toEqual([])
  expect(neverRan).toEqual(['a'])
})

test('a server that waits as it was asked to is asked again at once', async () => {
  const { clock, receiver, server } = receiving(pollFor)
  void receiver.take(10, minute)
  await clock.advance(minute)
  expect(server.asked.map((at, index) => at - (server.asked[index - 1] ?? 0))).toEqual([0, ...Array(11).fill(pollFor)])
})

/** The server has counted what it gave by questions whose answers were lost, and nobody has run it. */
async function isNotCountedUnseen(pastOf?: PastOf): Promise<void> {
  const { clock, receiver, server } = receiving(pollFor, undefined, { queues: 'fifo' }, pastOf)
  const answer = server.ask
  server.ask = () => Promise.reject(new RedriveError('unsure', 'no answer'))
  for (let lost = 0; lost < 2; lost++) await expect(receiver.take(10, 1000)).rejects.toMatchObject({ code: 'unsure' })
  server.ask = answer
  const countOf = async (count: number) => {
    server.messages = [{ MessageId: `${count}`, Attributes: { ApproximateReceiveCount: `${count}`, MessageGroupId: 'g' } }]
    const [delivery] = await receiver.take(10, 1000)
    return { turns: delivery?.turns, suspect: delivery?.suspect }
  }
  expect(await countOf(3)).toEqual({ turns: 0, suspect: true })
  expect(await countOf(5)).toEqual({ turns: 2, suspect: true })
  await clock.advance(60 * minute)
  expect(await countOf(4)).toEqual({ turns: 3, suspect: true })
}

test('what answers brought that were lost is no turn, for a while', () => isNotCountedUnseen())
test('one who forgets that answers were lost buries what nobody has run: caught', async () => {
  const forgetful: PastOf = (clock) => ({ ...createOwnPast(clock), missed() {} })
  await expect(isNotCountedUnseen(forgetful)).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
})
