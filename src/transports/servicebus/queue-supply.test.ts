import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Flow } from './flow.ts'
import type { Held } from './held.ts'
import type { LinkPlaces } from './link-places.ts'
import { queueSupply } from './queue-supply.ts'
import type { Intake, ReceiveContext, Supply } from './receiving.ts'

interface FakeLink {
  readonly width: number
  closed: boolean
  /** The SDK attaches it no more. */
  suspended: boolean
  bring(): void
}

type Handlers = { processMessage(message: ServiceBusReceivedMessage): Promise<void> }

/** Links that bring a message when a test says so; such that can be asked for any number, where the SDK is `known`. */
function stage(
  supplyFor = queueSupply,
  known = false,
): {
  supply: Supply
  links: FakeLink[]
  held: Set<Held>
  settle(held: Held | undefined): void
} {
  const clock = virtualClock()
  const links: FakeLink[] = []
  const held = new Set<Held>()
  const openReceiver = () => {
    const link: FakeLink = { width: 0, closed: false, suspended: false, bring() {} }
    const receiver = {
      _streamingReceiver: undefined as { _messageHandlers(): Handlers; _receiverHelper: object } | undefined,
      subscribe(handlers: Handlers, { maxConcurrentCalls }: { maxConcurrentCalls: number }) {
        if (known) receiver._streamingReceiver = { _messageHandlers: () => handlers, _receiverHelper: { addCredit() {} } }
        const now = (): Handlers => receiver._streamingReceiver?._messageHandlers() ?? handlers
        const bring = (): void => void now().processMessage({} as ServiceBusReceivedMessage)
        links.push(Object.assign(link, { width: maxConcurrentCalls, bring }))
        return {
          async close() {
            link.suspended = true
          },
        }
      },
      async close() {
        link.closed = true
      },
    }
    return receiver
  }
  const context = {
    bus: { openReceiver, desk: () => ({}), library: { types: {} } },
    settings: { clock, answerWithin: 1000 },
    keeper: { add() {}, remove() {} },
    service: { locked() {}, now: clock.now },
    address: { name: 'work' },
    options: { prefetch: 100, hold: 1000 },
  } as unknown as ReceiveContext
  const intake = {
    held,
    hold: (one: Held) => void held.add(one),
    offer() {},
    left: (one: Held) => void held.delete(one),
    doubt() {},
  } as unknown as Intake
  return { supply: supplyFor(context, intake), links, held, settle: (one) => one?.origin.left(one) }
}

const widths = (links: readonly FakeLink[]): number[] => links.map(({ width }) => width)

function fewLinksInTheEnd(supplyFor?: typeof queueSupply): void {
  const { supply, links, held, settle } = stage(supplyFor)
  for (let wanted = 1; wanted <= 64; wanted *= 2) {
    supply.want(wanted, wanted - supply.expected())
    for (const link of links) if (!link.closed) for (let n = 0; n < link.width && supply.expected() > 0; n++) link.bring()
    for (const one of [...held]) settle(one)
  }
  const open = links.filter(({ closed }) => !closed)
  expect(open.length).toBeLessThan(4)
  expect(widths(open).reduce((sum, width) => sum + width, 0)).toBeGreaterThan(48)
  expect(widths(open).every((width) => width > 16)).toBe(true)
}

function oneLinkForAll(supplyFor?: typeof queueSupply): void {
  const { supply, links, held, settle } = stage(supplyFor, true)
  for (let wanted = 1; wanted <= 64; wanted *= 2) {
    supply.want(wanted, wanted - supply.expected())
    expect(supply.expected()).toBe(wanted)
    for (let n = 0; n < wanted; n++) links[0]?.bring()
    for (const one of [...held]) settle(one)
  }
  expect(widths(links)).toEqual([1])
}

/** What is on its way when a link is closed, or in hand, would be locked for nobody, or settled by request. */
function openUntilAllIsSettled(supplyFor?: typeof queueSupply): void {
  const { supply, links, held, settle } = stage(supplyFor)
  supply.want(2, 2)
  links[0]?.bring()
  supply.want(16, 14)
  expect(widths(links)).toEqual([2, 14])
  const [first] = held
  settle(first)
  expect(links[0]?.closed).toBe(false)
  links[0]?.bring()
  // A lock that ends behind its settlement is no second one.
  settle(first)
  expect(links[0]?.closed).toBe(false)
  const [second] = held
  settle(second)
  expect(links.map(({ closed }) => closed)).toEqual([true, false])
  expect(supply.expected()).toBe(14)
}

/** Rhea stops a link that has brought 2,048 since the oldest that it was not answered about. */
function anotherLinkBesideWhatStays(supplyFor?: typeof queueSupply): void {
  const { supply, links, held, settle } = stage(supplyFor, true)
  const most = 500
  let brought = 0
  const bringAll = (link: FakeLink | undefined): void => {
    for (; link && supply.expected() > 0; brought++) link.bring()
  }
  const settleAllButFirst = (): void => {
    for (const one of [...held].slice(1)) settle(one)
  }
  while (links.length < 2 && brought < 5_000) {
    bringAll(links[0])
    settleAllButFirst()
    supply.want(most, most - supply.expected() - held.size)
  }
  expect(brought).toBeLessThan(2_048)
  expect(links).toHaveLength(2)
  expect(supply.expected()).toBe(most - held.size)
  bringAll(links[1])
  settleAllButFirst()
  expect(links.map(({ closed }) => closed)).toEqual([false, false])
  settle([...held][0])
  expect(links.map(({ closed }) => closed)).toEqual([true, false])
}

function oneLinkWhereNothingStays(supplyFor?: typeof queueSupply): void {
  const { supply, links, held, settle } = stage(supplyFor, true)
  for (let brought = 0; brought < 5_000; brought++) {
    supply.want(10, 10 - supply.expected() - held.size)
    links[0]?.bring()
    if (held.size > 5) settle([...held][0])
  }
  expect(links).toHaveLength(1)
}

function askedForNothingMore(supplyFor?: typeof queueSupply): void {
  const { supply, links } = stage(supplyFor)
  supply.want(2, 2)
  links[0]?.bring()
  supply.want(16, 14)
  expect(supply.expected()).toBe(15)
  supply.refill(1)
  expect(supply.expected()).toBe(15)
}

/** While the connection is down the SDK closes no link, and attaches all those anew that it was not told to leave. */
function notAttachedAgain(supplyFor?: typeof queueSupply): void {
  const { supply, links, held, settle } = stage(supplyFor)
  supply.want(1, 1)
  links[0]?.bring()
  supply.want(16, 15)
  expect(links.map(({ suspended }) => suspended)).toEqual([false, false])
  settle([...held][0])
  expect(links.map(({ suspended }) => suspended)).toEqual([true, false])
}

test('a link that is given up is not attached again, though the connection was down when it was', () => notAttachedAgain())
test('a consumer that grows is served by few links in the end, which together are as wide as it wants', () => fewLinksInTheEnd())
test('one link serves it where that can be made wider', () => oneLinkForAll())
test('a link that is too narrow by now stays open until what it brings is settled', () => openUntilAllIsSettled())
test('it is asked for nothing more', () => askedForNothingMore())
test('another link is opened beside one of whose messages the first stays in hand', () => anotherLinkBesideWhatStays())
test('one link goes on for as long as nothing stays in hand', () => oneLinkWhereNothingStays())

describe('planted bugs', () => {
  afterEach(() => {
    vi.doUnmock('./flow.ts')
    vi.doUnmock('./link-places.ts')
    vi.resetModules()
  })

  /** The supply on links that have one mistake. */
  async function supplyOn(mistake: (flow: Flow) => Partial<Flow>): Promise<typeof queueSupply> {
    vi.resetModules()
    vi.doMock('./flow.ts', async (original) => {
      const real = await original<typeof import('./flow.ts')>()
      const openFlow: typeof real.openFlow = (...of) => {
        const flow = real.openFlow(...of)
        const planted = mistake(flow)
        return new Proxy(flow, { get: (_, name) => Reflect.get(Object.hasOwn(planted, name) ? planted : flow, name) })
      }
      return { ...real, openFlow }
    })
    return (await import('./queue-supply.ts')).queueSupply
  }

  /** The supply on links whose places are told with one mistake. */
  async function supplyWith(mistake: Partial<LinkPlaces>): Promise<typeof queueSupply> {
    vi.resetModules()
    vi.doMock('./link-places.ts', async (original) => {
      const real = await original<typeof import('./link-places.ts')>()
      return { linkPlaces: () => Object.defineProperties(real.linkPlaces(), Object.getOwnPropertyDescriptors(mistake)) }
    })
    return (await import('./queue-supply.ts')).queueSupply
  }

  /** The supply whose intake says of everything that it is in hand. */
  const countingTwice: typeof queueSupply = (context, intake) => {
    const held = new Proxy(intake.held, {
      get: (set, name) => (name === 'has' ? () => true : Reflect.get(set, name).bind?.(set)),
    })
    return queueSupply(context, { ...intake, held } as Intake)
  }

  test('without any, nothing is found', async () => {
    const supply = await supplyOn(() => ({}))
    for (const check of [fewLinksInTheEnd, oneLinkForAll, openUntilAllIsSettled, askedForNothingMore, notAttachedAgain])
      check(supply)
  })

  test.each<[string, (supplyFor: typeof queueSupply) => void, (flow: Flow) => Partial<Flow>]>([
    ['a link that is closed though something is on its way', openUntilAllIsSettled, () => ({ expected: 0 })],
    ['a link that is never closed', openUntilAllIsSettled, () => ({ expected: 1 })],
    ['links that pile up', fewLinksInTheEnd, () => ({ expected: 1 })],
    ['a link that stays narrow though it could be wider', oneLinkForAll, () => ({ widen() {} })],
    ['a link that comes back after it was given up', notAttachedAgain, () => ({ async stop() {} })],
    ['a link that is never too narrow', askedForNothingMore, (flow) => ({ width: flow.width * 5 })],
  ])('%s is caught', async (_, check, mistake) => {
    const supply = await supplyOn(mistake)
    expect(() => check(supply)).toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })

  test('and with all places as they are, nothing either', async () => {
    const supply = await supplyWith({})
    for (const check of [anotherLinkBesideWhatStays, oneLinkWhereNothingStays]) check(supply)
  })

  test.each<[string, (supplyFor: typeof queueSupply) => void, Partial<LinkPlaces>]>([
    ['a link that goes on beside what stays until it stops', anotherLinkBesideWhatStays, { isStretched: false }],
    ['a link that is given up for what left it', oneLinkWhereNothingStays, { left() {} }],
  ])('%s is caught', async (_, check, mistake) => {
    const supply = await supplyWith(mistake)
    expect(() => check(supply)).toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })

  test('a settlement that is counted twice, so that its link is closed too early, is caught', () => {
    expect(() => openUntilAllIsSettled(countingTwice)).toThrow(expect.objectContaining({ name: 'AssertionError' }))
  })
})
