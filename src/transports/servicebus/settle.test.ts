import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { failure } from '../../../test/servicebus/failure.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Settlement } from '../seam.ts'
import { deliveryOf } from './delivery.ts'
import { createDispositionPace } from './disposition-pace.ts'
import { type Held, leave, leavePlace, loseLock, newHeld, newLock } from './held.ts'
import type { Settings } from './options.ts'
import { createPatience } from './patience.ts'
import type { RheaTypes } from './rhea.ts'
import { settle } from './settle.ts'

const types = rhea.types as unknown as RheaTypes
const answerWithin = 1000

interface Waiting {
  resolve(): void
  reject(cause: unknown): void
}

interface Code {
  readonly settle: typeof settle
  readonly deliveryOf: typeof deliveryOf
}

interface Setting {
  readonly table?: unknown
  readonly isAlive?: boolean
  readonly code?: Code
  readonly leaves?: typeof leave
}

/** One message in hand, on a link that answers when a test says so; the desk is the SDK's own way. */
function stage({
  table = new Map<number, Waiting>(),
  isAlive = true,
  code = { settle, deliveryOf },
  leaves = leave,
}: Setting = {}) {
  const clock = virtualClock()
  const log: string[] = []
  const delivery = {
    id: 7,
    remote_settled: false,
    settled: false,
    link: { is_open: () => true, connection: {} },
    accept: () => void log.push('accept'),
    update: () => void log.push('update'),
  }
  const desk = {
    completeMessage: async () => void log.push('completeMessage'),
    deadLetterMessage: async (_: unknown, { deadLetterReason }: { deadLetterReason: string }) =>
      void log.push(`deadLetterMessage ${deadLetterReason}`),
  }
  const held: Held = newHeld({
    received: { delivery, _rawAmqpMessage: {} } as unknown as ServiceBusReceivedMessage,
    address: { name: 'work' },
    lock: newLock(clock.now() + 60_000, clock.now(), async () => new Date(), 0),
    origin: {
      desk,
      receiver: { _streamingReceiver: { _deliveryDispositionMap: table } },
      types,
      alive: () => isAlive,
      inSession: false,
      pace: createDispositionPace(clock),
      answers: createPatience(clock, answerWithin),
      left(one: Held) {
        log.push('left')
        if (!one.gone) leaves(one)
      },
      doubt: () => void log.push('doubt'),
    } as unknown as Held['origin'],
  })
  held.lock.onLoss = () => leaves(held)
  const settlements = { complete: { kind: 'complete' }, reject: { kind: 'reject', failure } } as const
  const ask = (kind: keyof typeof settlements): Promise<void> =>
    code.settle(code.deliveryOf(held, types), settlements[kind] satisfies Settlement, { answerWithin } as Settings)
  return { clock, log, held, delivery, ask, waiting: table as Map<number, Waiting> }
}

test.each([
  ['complete', 'accept'],
  ['reject', 'update'],
] as const)('%s is done when its link has answered, and not before', async (kind, written) => {
  const { clock, log, ask, waiting } = stage()
  const settled = ask(kind).then(() => log.push('settled'))
  await clock.advance(0)
  expect(log).toEqual([written])
  waiting.get(7)?.resolve()
  await settled
  expect(log).toEqual([written, 'left', 'settled'])
})

test.each([
  ['complete', 'a library that has changed', { table: {} }, 'completeMessage'],
  ['reject', 'a library that has changed', { table: {} }, 'deadLetterMessage CustomBusinessRule'],
  ['complete', 'a link that is gone', { isAlive: false }, 'completeMessage'],
  ['reject', 'a link that is gone', { isAlive: false }, 'deadLetterMessage CustomBusinessRule'],
] as const)('%s goes by the SDK on %s', async (kind, _, setting, asked) => {
  const { clock, log, ask } = stage(setting)
  const settled = ask(kind)
  await clock.advance(0)
  await settled
  expect(log).toEqual([asked, 'left'])
})

test('a link that refuses has answered: the next attempt goes by the SDK', async () => {
  const { log, ask, waiting } = stage()
  const refused = ask('complete')
  waiting.get(7)?.reject(new Error('busy'))
  await expect(refused).rejects.toThrow()
  await ask('complete')
  expect(log.filter((each) => each !== 'doubt')).toEqual(['accept', 'completeMessage', 'left'])
})

test('an answer that is late is not heard: the message is still ours, and asked for by the SDK', async () => {
  const { clock, log, held, ask, waiting } = stage()
  const unanswered = ask('complete')
  const late = waiting.get(7)
  const rejected = expect(unanswered).rejects.toMatchObject({ code: 'unsure' })
  await clock.advance(answerWithin)
  await rejected
  late?.resolve()
  expect(log).toEqual(['accept', 'doubt'])
  expect(held.settlement).toBeUndefined()
  await ask('complete')
  expect(log).toEqual(['accept', 'doubt', 'completeMessage', 'left'])
})

/** Free before its answer has come, its place would be another's, and nobody would hear what became of it; never free, it would stop the link. */
async function placeIsFreeOnceAnswered(setting?: Setting): Promise<void> {
  const { clock, held, delivery, ask, waiting } = stage(setting)
  const settled = ask('complete')
  settled.catch(() => {})
  await clock.advance(0)
  loseLock(held.lock, 'lost')
  expect(delivery.settled).toBe(false)
  waiting.get(7)?.reject(Object.assign(new Error('gone'), { code: 'MessageLockLost' }))
  await expect(settled).rejects.toMatchObject({ code: 'hold-lost' })
  expect(delivery.settled).toBe(true)
}

async function placeIsFreeOnceLost(setting?: Setting): Promise<void> {
  const { held, delivery } = stage(setting)
  loseLock(held.lock, 'lost')
  expect(delivery.settled).toBe(true)
}

async function placeIsFreeOnceSettledByRequest(setting?: Setting): Promise<void> {
  const { clock, delivery, ask } = stage({ ...setting, isAlive: false })
  const settled = ask('complete')
  await clock.advance(0)
  await settled
  expect(delivery.settled).toBe(true)
}

async function placeIsFreeOnceLostAndSettledByRequest(setting?: Setting): Promise<void> {
  const { clock, held, delivery, ask } = stage({ ...setting, isAlive: false })
  const settled = ask('complete')
  loseLock(held.lock, 'lost')
  expect(delivery.settled).toBe(false)
  await clock.advance(0)
  await settled
  expect(delivery.settled).toBe(true)
}

test('what was lost while it was being settled is told so by its link, and then leaves its place', () =>
  placeIsFreeOnceAnswered())
test('what is lost in hand leaves its place', () => placeIsFreeOnceLost())
test('so does what was settled by request, about which its link is told nothing', () => placeIsFreeOnceSettledByRequest())
test('and so does what was lost while it was being settled by request, and is settled all the same', () =>
  placeIsFreeOnceLostAndSettledByRequest())

describe('planted bugs', () => {
  afterEach(() => {
    vi.doUnmock('./held.ts')
    vi.resetModules()
  })

  async function codeWith(leavesPlace: typeof leavePlace): Promise<Code> {
    vi.resetModules()
    vi.doMock('./held.ts', async (original) => ({ ...(await original<typeof import('./held.ts')>()), leavePlace: leavesPlace }))
    return { ...(await import('./settle.ts')), ...(await import('./delivery.ts')) }
  }

  const neverLeaves = (): void => {}
  const leavesAtOnce = (held: Held): void => {
    leavePlace({ ...held, settling: false, gone: true })
  }

  test('without any, nothing is found', async () => {
    const code = await codeWith(leavePlace)
    const late = [placeIsFreeOnceAnswered, placeIsFreeOnceLostAndSettledByRequest]
    for (const check of [...late, placeIsFreeOnceLost, placeIsFreeOnceSettledByRequest]) await check({ code })
  })

  test.each([
    ['refuses', placeIsFreeOnceAnswered],
    ['accepts', placeIsFreeOnceLostAndSettledByRequest],
  ])('a place that stays taken after an answer that %s is caught', async (_, check) => {
    const code = await codeWith(neverLeaves)
    await expect(check({ code })).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })

  test.each([
    ['a place that is free before the answer', placeIsFreeOnceAnswered, leavesAtOnce],
    ['a place that a lost one keeps', placeIsFreeOnceLost, neverLeaves],
    ['a place that one settled by request keeps', placeIsFreeOnceSettledByRequest, neverLeaves],
  ])('%s is caught', async (_, check, leaves) => {
    await expect(check({ leaves })).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})
