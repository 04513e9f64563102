import type { ServiceBusReceivedMessage } from '@azure/service-bus'
import { expect, test } from 'vitest'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Held } from './held.ts'
import { queueSupply } from './queue-supply.ts'
import type { Intake, ReceiveContext, Supply } from './receiving.ts'

interface FakeLink {
  readonly width: number
  closed: boolean
  bring(): void
}

/** Links that bring a message when a test says so. */
function stage(): { supply: Supply; links: FakeLink[]; held: Set<Held>; settle(held: Held | undefined): void } {
  const clock = virtualClock()
  const links: FakeLink[] = []
  const held = new Set<Held>()
  const openReceiver = () => {
    const link: FakeLink = { width: 0, closed: false, bring() {} }
    return {
      subscribe(
        handlers: { processMessage(message: ServiceBusReceivedMessage): Promise<void> },
        { maxConcurrentCalls }: { maxConcurrentCalls: number },
      ) {
        const bring = (): void => void handlers.processMessage({} as ServiceBusReceivedMessage)
        links.push(Object.assign(link, { width: maxConcurrentCalls, bring }))
        return { close: async () => {} }
      },
      async close() {
        link.closed = true
      },
    }
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
  return { supply: queueSupply(context, intake), links, held, settle: (one) => one?.origin.left(one) }
}

const widths = (links: readonly FakeLink[]): number[] => links.map(({ width }) => width)

test('a consumer that grows is served by few links in the end, which together are as wide as it wants', () => {
  const { supply, links, held, settle } = stage()
  for (let wanted = 1; wanted <= 64; wanted *= 2) {
    supply.want(wanted, wanted - supply.expected())
    for (const link of links) if (!link.closed) for (let n = 0; n < link.width && supply.expected() > 0; n++) link.bring()
    for (const one of [...held]) settle(one)
  }
  const open = links.filter(({ closed }) => !closed)
  expect(open.length).toBeLessThan(4)
  expect(widths(open).reduce((sum, width) => sum + width, 0)).toBeGreaterThan(48)
  expect(widths(open).every((width) => width > 16)).toBe(true)
})

test('a link that is too narrow by now stays open until what it brings is settled', () => {
  const { supply, links, held, settle } = stage()
  supply.want(2, 2)
  links[0]?.bring()
  supply.want(16, 14)
  expect(widths(links)).toEqual([2, 14])
  const [first] = held
  settle(first)
  expect(links[0]?.closed).toBe(false)
  links[0]?.bring()
  expect(links[0]?.closed).toBe(false)
  const [second] = held
  settle(second)
  expect(links.map(({ closed }) => closed)).toEqual([true, false])
  expect(supply.expected()).toBe(14)
})

test('it is asked for nothing more', () => {
  const { supply, links } = stage()
  supply.want(2, 2)
  links[0]?.bring()
  supply.want(16, 14)
  expect(supply.expected()).toBe(15)
  supply.refill(1)
  expect(supply.expected()).toBe(15)
})
