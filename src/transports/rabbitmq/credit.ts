import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * How much the broker may send on one channel. A quorum queue knows no credit but the prefetch that a consumer starts with, so
 * every growth is one more consumer; together they are never given more than was asked for. When much less is asked for, all
 * of them are cancelled and a new generation starts with what is asked; what the broker had sent before is used up first. The
 * same is done once when they are many and have stopped growing: a range of acknowledgements costs the broker one command for
 * each consumer in it.
 */
export interface Credit {
  /** Waits until the broker will send at most so much more than is ours already, and no less where it may. */
  fit(wanted: number): Promise<void>
  /** Resolves when the broker sends nothing more. */
  stop(): Promise<void>
  /** Something that came by this generation is settled. */
  settled(generation: Generation): void
  /** How many deliveries the broker may have out at most, by what it knows to be settled; `Infinity` while that is not known. */
  readonly allowed: number
  /** The generation that all that is out belongs to, if it is one. */
  readonly only: Generation | undefined
  /** The broker knows of everything that was settled when this was the only generation. */
  caughtUp(only: Generation): void
}

/** Consumers that were started to share one amount of credit. */
export interface Generation {
  /** What came by them and is not settled. */
  unsettled: number
}

export interface CreditSettings {
  readonly channel: Channel
  readonly queue: string
  /** What is usually ours at most; held deliveries come on top of it. */
  readonly usual: number
  accept(raw: ConsumeMessage | null, generation: Generation): void
  failed(cause: unknown): void
}

/** Asked for a quarter or less, a consumer has become careful; smaller changes are not worth a round trip, nor a consumer. */
const shrinkAt = 4
/** So many consumers are not worth the moment in which the broker sends nothing. */
const fewConsumers = 3

export function createCredit({ channel, queue, usual, accept, failed }: CreditSettings): Credit {
  let current: Generation = { unsettled: 0 }
  let credit = 0
  let consumers: Promise<string>[] = []
  /** Unsettled deliveries of all earlier generations. */
  let earlier = 0
  /** What the broker has out may be more than the credit of this generation. */
  let blurred = false
  let cancelling: Promise<void> | undefined
  let merged = false
  let stopped = false

  function count(generation: Generation, change: 1 | -1): void {
    generation.unsettled += change
    if (generation !== current) earlier += change
  }

  function grow(more: number): void {
    const mine = current
    credit += more
    // Both are written at once: nothing comes between the prefetch and the consumer that it is for.
    const prefetching = channel.prefetch(more)
    const consuming = channel.consume(queue, (raw) => {
      if (raw !== null) count(mine, 1)
      accept(raw, mine)
    })
    const started = Promise.all([consuming, prefetching]).then(([{ consumerTag }]) => consumerTag)
    started.catch(failed)
    consumers.push(started)
  }

  async function cancelAll(): Promise<void> {
    const tags = await Promise.allSettled(consumers.splice(0))
    const started = tags.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    await Promise.allSettled(started.map((tag) => channel.cancel(tag)))
  }

  /** Most of what there may be, in many small pieces, and little of it is out that a new generation would have to wait for. */
  function isPatchwork(): boolean {
    return !merged && consumers.length > fewConsumers && credit * 2 > usual && current.unsettled * 2 <= credit
  }

  /** A little more is not worth a consumer, as long as the broker may send something. */
  function isLittle(more: number): boolean {
    return more * shrinkAt < credit && current.unsettled < credit
  }

  function startAnew(): void {
    cancelling = cancelAll().finally(() => {
      cancelling = undefined
    })
    consumers = []
    earlier += current.unsettled
    current = { unsettled: 0 }
    credit = 0
    blurred = true
  }

  return {
    async fit(wanted) {
      const isCareful = wanted * shrinkAt <= credit
      const isMerging = !isCareful && isLittle(wanted - credit) && isPatchwork()
      const target = isMerging ? Math.max(wanted, credit) : wanted
      if (isCareful || isMerging) {
        startAnew()
        merged = isMerging
      }
      if (cancelling) await cancelling
      const more = target - credit - earlier
      if (more > 0 && !stopped && !isLittle(more)) grow(more)
    },
    async stop() {
      stopped = true
      await Promise.all([cancelling, cancelAll()])
    },
    settled: (generation) => count(generation, -1),
    get allowed() {
      return blurred ? Number.POSITIVE_INFINITY : credit
    },
    get only() {
      return earlier === 0 && !cancelling ? current : undefined
    },
    caughtUp(only) {
      if (only === current) blurred = false
    },
  }
}
