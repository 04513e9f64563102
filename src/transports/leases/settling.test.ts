import { describe, expect, it } from 'vitest'
import { encodeEnvelope } from '../../core/envelope.ts'
import { RedriveError } from '../../core/errors.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import { createHoldings } from './holdings.ts'
import type { Claim, Claimed, PendingClaim } from './protocol.ts'
import { createReceiver } from './receiver.ts'
import { createSettling } from './settling.ts'

const message = { body: new Uint8Array([1]), headers: [], id: 'm' }

function claimOf(id: number): Claimed {
  const stored = [{ envelope: JSON.parse(encodeEnvelope(message)), body: message.body }]
  return {
    ids: [id],
    deliveries: [1],
    turns: [0],
    sentAt: [0],
    lanes: [null],
    stored,
    suspect: false,
    withheld: false,
    nextAt: null,
  }
}

/** One delivery in hand whose settlement departs and is answered when the test says so, by a store whose claims may overtake it or not. */
async function setUp(mayBeOvertaken: boolean) {
  const clock = virtualClock()
  const holdings = createHoldings(clock)
  const answer = Promise.withResolvers<void>()
  let pending: PendingClaim | undefined
  const store = {
    perform: async () => {},
    wake() {},
    claimNow() {
      pending = receiver.nextClaim()
    },
  }
  const receiver = createReceiver({
    ...{ clock, holdings, store, channel: 1, address: { name: 'work' }, options: { prefetch: 1, hold: 30_000 } },
    inParts: false,
    leaseEnd: (until) => until,
    onWait() {},
    onClose() {},
  })
  const settling = createSettling({ holdings, checkOpen() {}, carryOut: () => answer.promise, mayBeOvertaken })
  const taking = receiver.take(1, 1000)
  pending?.resolve(claimOf(1))
  const [delivery] = await taking
  if (!delivery) throw new Error('nothing was taken')
  return {
    answer,
    settle: () => settling.settle(delivery, { kind: 'complete' }),
    extend: (write: () => Promise<unknown>) => settling.extend(delivery, 60_000, write),
    /** What the next take asks for. */
    nextRequest(): Claim['suspects'] | undefined {
      void receiver.take(1, 1000)
      return pending?.request.suspects
    },
    holdings,
  }
}

describe('a settlement that departs', () => {
  it('keeps suspects away until it is answered, where a later claim may reach the store before it', async () => {
    const { answer, settle, nextRequest } = await setUp(true)
    const settled = settle()
    expect(nextRequest()).toBe('withhold')
    answer.resolve()
    await settled
  })

  it('is out of our hands at once where nothing overtakes it', async () => {
    const { settle, nextRequest } = await setUp(false)
    void settle()
    expect(nextRequest()).toBe('alone')
  })

  it('lets suspects come when it was answered', async () => {
    const { answer, settle, nextRequest } = await setUp(true)
    const settled = settle()
    answer.resolve()
    await settled
    expect(nextRequest()).toBe('alone')
  })

  it('and fails is in our hands again, and can be settled anew', async () => {
    const { answer, settle, holdings } = await setUp(true)
    answer.reject(new RedriveError('unsure', 'nobody answered'))
    const first = settle()
    expect(holdings.all()).toEqual([])
    await expect(first).rejects.toThrow('nobody answered')
    expect(holdings.all()).toHaveLength(1)
    const second = settle()
    expect(second).not.toBe(first)
    await expect(second).rejects.toThrow('nobody answered')
  })

  it('of what somebody else has by now is lost, and stays so', async () => {
    const { answer, settle, holdings } = await setUp(true)
    answer.reject(new RedriveError('hold-lost', 'somebody else has it'))
    await expect(settle()).rejects.toMatchObject({ code: 'hold-lost' })
    expect(holdings.all()).toEqual([])
    await expect(settle()).rejects.toMatchObject({ code: 'hold-lost' })
  })
})

describe('an extension that crosses a settlement', () => {
  it('and comes behind it finds nothing, which is counted once', async () => {
    const { answer, settle, extend, nextRequest } = await setUp(false)
    const late = Promise.withResolvers<void>()
    const extended = extend(() => late.promise)
    answer.resolve()
    await settle()
    late.reject(new RedriveError('hold-lost', 'there is no such message'))
    await expect(extended).rejects.toMatchObject({ code: 'hold-lost' })
    expect(nextRequest()).toBe('alone')
  })

  it('and hears that somebody else has it leaves nothing in our hands when the settlement hears so, too', async () => {
    const { answer, settle, extend, holdings, nextRequest } = await setUp(false)
    const late = Promise.withResolvers<void>()
    const extended = extend(() => late.promise)
    const settled = settle()
    const lost = new RedriveError('hold-lost', 'somebody else has it')
    late.reject(lost)
    await expect(extended).rejects.toBe(lost)
    answer.reject(lost)
    await expect(settled).rejects.toMatchObject({ code: 'hold-lost' })
    expect(holdings.all()).toEqual([])
    expect(nextRequest()).toBe('alone')
  })
})
