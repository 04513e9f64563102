import type { ChannelOptions } from '../../../src/runtime/channel-options.ts'
import type { Consumer } from '../../../src/runtime/consumer.ts'
import type { Plant } from '../plant.ts'
import { simChannels } from '../script.ts'
import { simBreaker } from '../weather.ts'

/** Mistakes that a breaker can make, each as the real one with somebody beside it who makes it do that. */
export const breakerBugs: Readonly<Record<string, Plant>> = {
  'never closes its breaker': {
    accompany: (consumer) => void consumer.on('breaker-opened', () => consumer.pause(simChannels.work)),
  },
  'never opens its breaker': { options: (healthy) => ({ ...healthy, breaker: false }) },
  'counts what fails while its breaker is open': { options: withBreaker({ pardon: '0ms' }) },
  'takes a probe that failed for the end of the outage': {
    accompany: (consumer, clock) =>
      void consumer.on('breaker-probed', () => clock.soon(() => isOpen(consumer) && consumer.resume(simChannels.work))),
  },
  'lets everything through beside a probe': { accompany: runsAllThatWait },
}

/** Only where the seed has one. */
function withBreaker(wrong: object): (healthy: ChannelOptions) => ChannelOptions {
  return (healthy) => (healthy.breaker === false ? healthy : { ...healthy, breaker: { ...simBreaker, ...wrong } })
}

function isOpen(consumer: Consumer): boolean {
  return consumer.channels().some(({ state }) => state === 'outage')
}

function runsAllThatWait(consumer: Consumer): void {
  const waiting: (() => Promise<unknown>)[] = []
  consumer.on('breaker-opened', () => void waiting.splice(0))
  consumer.use(async (_, next) => {
    for (const other of isOpen(consumer) ? waiting.splice(0) : []) void other().catch(() => {})
    try {
      return await next()
    } catch (error) {
      waiting.push(next)
      throw error
    }
  })
}
