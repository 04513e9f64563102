import { describe, expect, test } from 'vitest'
import { RedriveError } from '../../core/errors.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Delivery, Settlement } from '../seam.ts'
import { createHoldings, type Held } from './holdings.ts'
import { createOwnPast } from './own-past.ts'
import { createSettling, type Settling } from './settling.ts'

const release: Settlement = { kind: 'release' }

type Code = { readonly createSettling: typeof createSettling; readonly createHoldings: typeof createHoldings }

/** Three messages of one lane in hand, and a server that takes what it is told when a test says so. */
function stage(
  { createSettling: settles, createHoldings: holds }: Code = { createSettling, createHoldings },
  extendingChangesReceipt = false,
) {
  const clock = virtualClock()
  const told: string[] = []
  const answers: PromiseWithResolvers<void>[] = []
  const holdings = holds<string>(clock, () => {})
  const held = ['a', 'b', 'c'].map((id): Held<string> => {
    const times = { since: clock.monotonic(), until: clock.monotonic() + 30_000, arrivedAt: clock.monotonic() }
    const standing = { id, receipt: id, count: 1, turns: 0, suspect: false, lane: 'lane' }
    return { queue: 'work', place: 'work', address: { name: 'work' }, ...times, ...standing }
  })
  for (const each of held) holdings.add(each)
  function tell(what: string): Promise<void> {
    told.push(what)
    const answer = Promise.withResolvers<void>()
    answers.push(answer)
    return answer.promise
  }
  const settling: Settling<string> = settles<string>({
    ...{ clock, holdings, past: createOwnPast(clock), receivers: [], checkOpen() {}, extendingChangesReceipt },
    heldOf: (delivery) => held.find(({ id }) => id === delivery.position) as Held<string>,
    writeFor: (one, { kind }) =>
      kind === 'release' ? () => settling.giveBack(one, 0, one) : () => tell(`${kind} ${one.receipt}`),
    hide: ({ receipt }, ms) => tell(`hide ${receipt} ${ms}`),
  })
  const deliveryOf = (id: string): Delivery => ({ position: id }) as Delivery
  return { clock, told, answers, holdings, held, settling, deliveryOf }
}

/** An extension that the server takes last would hide from everybody what was given back. */
async function comesBehindItsExtension(code?: Code): Promise<void> {
  const { clock, told, answers, settling, deliveryOf } = stage(code)
  const extended = settling.extend(deliveryOf('a'), 30_000, () => 60_000)
  const settled = settling.settle(deliveryOf('a'), release)
  await clock.settle()
  expect(told).toEqual(['hide a 30000'])
  answers[0]?.resolve()
  await extended
  await clock.settle()
  expect(told).toEqual(['hide a 30000', 'hide a 0'])
  answers[1]?.resolve()
  await settled
}

/** Completed before the one that was lost, they would have overtaken it. */
async function keepsItsPlace(code?: Code): Promise<void> {
  const { answers, holdings, held, settling, deliveryOf } = stage(code)
  const unsettled = settling.settle(deliveryOf('a'), { kind: 'complete' })
  answers[0]?.reject(new RedriveError('unsure', 'no answer'))
  await expect(unsettled).rejects.toMatchObject({ code: 'unsure' })
  const [first, second, third] = held as [Held<string>, Held<string>, Held<string>]
  holdings.lose(second)
  expect([first, second, third].map(({ loss }) => loss !== undefined)).toEqual([false, true, true])
  holdings.lose(first)
  expect(holdings.all()).toEqual([])
}

async function losesThoseBehind(code?: Code): Promise<void> {
  const { answers, holdings, settling, deliveryOf } = stage(code)
  const unsettled = settling.settle(deliveryOf('a'), { kind: 'complete' })
  answers[0]?.reject(new RedriveError('hold-lost', 'too late'))
  await expect(unsettled).rejects.toMatchObject({ code: 'hold-lost' })
  expect(holdings.all()).toEqual([])
}

test('what is decided while a delivery is being extended comes behind that', () => comesBehindItsExtension())

/** Somebody else has it by then, and some servers would take what is said of it all the same. */
async function isNotWrittenPastItsHold(code?: Code): Promise<void> {
  const { clock, told, answers, holdings, settling, deliveryOf } = stage(code)
  const extended = settling.extend(deliveryOf('a'), 30_000, () => 60_000)
  const settled = settling.settle(deliveryOf('a'), release)
  settled.catch(() => {})
  await clock.advance(31_000)
  answers[0]?.reject(new RedriveError('unsure', 'no answer'))
  await expect(extended).rejects.toMatchObject({ code: 'unsure' })
  await clock.settle()
  expect(told).toEqual(['hide a 30000'])
  await expect(settled).rejects.toMatchObject({ code: 'hold-lost' })
  expect(holdings.all().map(({ id }) => id)).not.toContain('a')
}

test('what is over by our own clock is not given back, whoever has it now', async () => {
  const { clock, told, held, settling } = stage()
  await clock.advance(31_000)
  for (const one of held) await settling.release(one)
  expect([told, held.every(({ loss }) => loss !== undefined)]).toEqual([[], true])
})

test('what waited for an extension until its hold was over is not written', () => isNotWrittenPastItsHold())
test('what an extension was told is lost is not written, and not held any more', async () => {
  const { told, answers, holdings, settling, deliveryOf } = stage()
  const extended = settling.extend(deliveryOf('a'), 30_000, () => 60_000)
  const settled = settling.settle(deliveryOf('a'), release)
  answers[0]?.reject(new RedriveError('hold-lost', 'too late'))
  await expect(extended).rejects.toMatchObject({ code: 'hold-lost' })
  await expect(settled).rejects.toMatchObject({ code: 'hold-lost' })
  expect(told).toEqual(['hide a 30000'])
  expect(holdings.all()).toEqual([])
})
test('a completion does not wait for an extension that leaves the receipt as it is, and does not lose those behind it', async () => {
  const { told, answers, holdings, settling, deliveryOf } = stage()
  const extended = settling.extend(deliveryOf('a'), 30_000, () => 60_000)
  const settled = settling.settle(deliveryOf('a'), { kind: 'complete' })
  expect(told).toEqual(['hide a 30000', 'complete a'])
  answers[1]?.resolve()
  await settled
  answers[0]?.reject(new RedriveError('hold-lost', 'it was deleted'))
  await expect(extended).rejects.toMatchObject({ code: 'hold-lost' })
  expect(holdings.all().map(({ id }) => id)).toEqual(['b', 'c'])
})
test('one extension at a time: whoever asks again meanwhile hears of it', async () => {
  const { told, answers, settling, deliveryOf } = stage()
  const extensions = [1, 2].map(() => settling.extend(deliveryOf('a'), 30_000, () => 60_000))
  answers[0]?.resolve()
  const [first, second] = await Promise.all(extensions)
  expect(first).toBe(second)
  expect(told).toEqual(['hide a 30000'])
})
test('whoever closes waits for a settlement that waits for an extension', async () => {
  const { clock, told, answers, settling, deliveryOf } = stage()
  void settling.extend(deliveryOf('a'), 30_000, () => 60_000)
  const settled = settling.settle(deliveryOf('a'), release)
  const done: string[] = []
  const none = settling.none().then(() => done.push('none'))
  void settled.then(() => done.push('settled'))
  answers[0]?.resolve()
  await clock.settle()
  expect(done).toEqual([])
  answers[1]?.resolve()
  await none
  expect(told).toEqual(['hide a 30000', 'hide a 0'])
})
test('an extension that failed is no reason not to settle', async () => {
  const { clock, told, answers, settling, deliveryOf } = stage(undefined, true)
  const extended = settling.extend(deliveryOf('a'), 30_000, () => 60_000)
  const settled = settling.settle(deliveryOf('a'), { kind: 'complete' })
  answers[0]?.reject(new RedriveError('unsure', 'no answer'))
  await expect(extended).rejects.toMatchObject({ code: 'unsure' })
  await clock.settle()
  answers[1]?.resolve()
  await settled
  expect(told).toEqual(['hide a 30000', 'complete a'])
})
test('what could not be settled stands in its lane where it stood', () => keepsItsPlace())
test('what is lost as it is settled takes those behind it along', () => losesThoseBehind())

describe('planted bugs', () => {
  const caught = expect.objectContaining({ name: 'AssertionError' })

  test('an extension that nobody waits for is caught', async () => {
    const forgetful: typeof createSettling = (context) =>
      createSettling({
        ...context,
        heldOf: (delivery) =>
          new Proxy(context.heldOf(delivery), { get: (of, name) => (name === 'extending' ? undefined : Reflect.get(of, name)) }),
      })
    await expect(comesBehindItsExtension({ createSettling: forgetful, createHoldings })).rejects.toThrow(caught)
  })

  test('a hold that is never over is caught', async () => {
    const everlasting: typeof createSettling = (context) =>
      createSettling({ ...context, clock: { ...context.clock, monotonic: () => 0 } })
    await expect(isNotWrittenPastItsHold({ createSettling: everlasting, createHoldings })).rejects.toThrow(caught)
  })

  test.each([keepsItsPlace, losesThoseBehind])(
    'one that stands behind all others when it could not be settled is caught: %o',
    async (check) => {
      const last: typeof createHoldings = (...of) => {
        const holdings = createHoldings(...of)
        return {
          ...holdings,
          add(held) {
            delete held.arrival
            holdings.add(held)
          },
        }
      }
      await expect(check({ createSettling, createHoldings: last })).rejects.toThrow(caught)
    },
  )
})
