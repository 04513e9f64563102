import type { CollectOptions, Collector } from './collect.ts'
import { follow } from './follow.ts'
import { pauseUnlessStopped, tryingAgain } from './keep-trying.ts'
import { isCopiedSource } from './reading.ts'
import { nameOf } from './source.ts'
import type { ConfiguredSource } from './sources.ts'

const lookEvery = 60_000
/** As soon as the oldest letter has so much of its time left, and no later than an hour before its end. */
const shareLeft = 0.25
const leastLeft = 3_600_000

/**
 * Watches a source of which nothing is copied, and begins to copy it when the broker is about to drop the first letter. A source that was
 * copied once goes on to be: letters that come later have the same end. Where looking leaves a trace nothing is done; the status of the source
 * says that its letters go, and when.
 */
export function rescue(source: ConfiguredSource, options: CollectOptions): Collector {
  const { vault, clock } = options
  const stopping = new AbortController()
  let following: Collector | undefined
  const running = tryingAgain(stopping.signal, options, async (goesWell) => {
    const { id, position } = await vault.write('registerSource', nameOf(source))
    while (!stopping.signal.aborted && !following) {
      if (isCopiedSource(source, { position })) following = follow(source, options)
      else if (await isNearLoss()) await begin(id)
      goesWell()
      if (!following) await pauseUnlessStopped(lookEvery, stopping.signal, clock)
    }
    await untilStopped()
  })

  /** From now on it is known to be copied, to the next control plane too. */
  async function begin(id: number): Promise<void> {
    await vault.write('ingest', { source: id, now: clock.now(), arrivals: [], position: '' })
    following = follow(source, options)
  }

  async function isNearLoss(): Promise<boolean> {
    const { keepsFor, oldestAt, retained } = await source.transport.measure(source.address)
    if (keepsFor === undefined || retained === 0) return false
    const left = Math.max(leastLeft, keepsFor * shareLeft)
    return oldestAt === undefined || oldestAt + keepsFor - clock.now() < left
  }

  function untilStopped(): Promise<void> {
    return new Promise((resolve) => {
      if (stopping.signal.aborted) resolve()
      else stopping.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  return {
    async stop() {
      stopping.abort()
      // It may be about to begin to follow.
      await running
      await following?.stop()
    },
  }
}
