import type { Channel, ConsumeMessage } from 'amqplib'

/**
 * How much the broker may send on one channel. A quorum queue knows no credit but the prefetch that a consumer starts with, so
 * every growth is one more consumer; together they are never given more than was asked for. When much less is asked for, all
 * of them are cancelled and a new generation starts with what is asked; what the broker had sent before is used up first.
 */
export interface Credit {
  /** Waits until the broker will send at most so much more than is ours already, and no less where it may. */
  fit(wanted: number): Promise<void>
  /** Resolves when the broker sends nothing more. */
  stop(): Promise<void>
  /** Something that came is settled. `generation` is the number that came with it. */
  settled(generation: number): void
}

export interface CreditSettings {
  readonly channel: Channel
  readonly queue: string
  accept(raw: ConsumeMessage | null, generation: number): void
  failed(cause: unknown): void
}

/** Asked for a quarter or less, a consumer has become careful; smaller changes are not worth a round trip. */
const shrinkAt = 4

export function createCredit({ channel, queue, accept, failed }: CreditSettings): Credit {
  let generation = 0
  let credit = 0
  let consumers: Promise<string>[] = []
  /** What came by each generation and is not settled. */
  const unsettled = new Map<number, number>()
  let cancelling: Promise<void> | undefined
  let stopped = false

  function count(of: number, change: 1 | -1): void {
    const left = (unsettled.get(of) ?? 0) + change
    if (left === 0) unsettled.delete(of)
    else unsettled.set(of, left)
  }

  function ofEarlierGenerations(): number {
    let sum = 0
    for (const [of, left] of unsettled) if (of !== generation) sum += left
    return sum
  }

  function grow(more: number): void {
    const mine = generation
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

  function shrink(): void {
    cancelling = cancelAll().finally(() => {
      cancelling = undefined
    })
    consumers = []
    generation++
    credit = 0
  }

  return {
    async fit(wanted) {
      if (wanted * shrinkAt <= credit) shrink()
      if (cancelling) await cancelling
      const more = wanted - credit - ofEarlierGenerations()
      if (more > 0 && !stopped) grow(more)
    },
    async stop() {
      stopped = true
      await Promise.all([cancelling, cancelAll()])
    },
    settled: (of) => count(of, -1),
  }
}
