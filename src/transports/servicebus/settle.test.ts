import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import rhea from 'rhea'
import { expect, test } from 'vitest'
import { failure } from '../../../test/servicebus/failure.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Settlement } from '../seam.ts'
import { deliveryOf } from './delivery.ts'
import { createDispositionPace } from './disposition-pace.ts'
import { type Held, loseLock, newLock } from './held.ts'
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

/** One message in hand, on a link that answers when a test says so; the desk is the SDK's own way. */
function stage({ table = new Map<number, Waiting>(), isAlive = true }: { table?: unknown; isAlive?: boolean } = {}) {
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
  const held = {
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
      left: () => void log.push('left'),
      doubt: () => void log.push('doubt'),
    },
    buffered: false,
    settlement: undefined,
    answered: false,
  } as unknown as Held
  const settlements = { complete: { kind: 'complete' }, reject: { kind: 'reject', failure } } as const
  const ask = (kind: keyof typeof settlements): Promise<void> =>
    settle(deliveryOf(held, types), settlements[kind] satisfies Settlement, { answerWithin } as Settings)
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

test('what was lost while it was being settled is told so by its link, and then leaves its place', async () => {
  const { clock, held, delivery, ask, waiting } = stage()
  const settled = ask('complete')
  settled.catch(() => {})
  await clock.advance(0)
  loseLock(held.lock, 'lost')
  expect(delivery.settled).toBe(false)
  waiting.get(7)?.reject(Object.assign(new Error('gone'), { code: 'MessageLockLost' }))
  await expect(settled).rejects.toMatchObject({ code: 'hold-lost' })
  expect(delivery.settled).toBe(true)
})
