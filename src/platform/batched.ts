import { hasCode, RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'

export interface BatchOptions<Item, Answer> {
  readonly clock: Clock
  /** One answer for each item, in their order; an error stands for an item that failed alone. */
  run(items: readonly Item[]): Promise<readonly (Answer | RedriveError)[]>
  /** What an item weighs, in bytes. */
  weigh?(item: Item): number
  /** How many a batch may hold, and what they may weigh together; a single one may weigh more. */
  readonly most?: BatchSize
  /** What no item can bring about, beside what says so by its code: it is not tried by halves, each of which might take as long to fail. */
  isOfTheServer?(error: unknown): boolean
  /** Batches that may be under way at one time. Default: two, so that while one waits for the disk of the server, the next is on its way. */
  readonly atOnce?: number
}

export interface Batched<Item, Answer> {
  call(item: Item): Promise<Answer>
  /** What waits for others leaves now: something else is about to be sent, and both may travel together. */
  hurry(): void
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

interface BatchSize {
  readonly items: number
  readonly bytes: number
}

interface Waiting<Item, Answer> {
  readonly item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** What no item can bring about. */
const ofTheServer = ['unsure', 'unreachable', 'store-full', 'closed'] as const

const usualSize: BatchSize = { items: 500, bytes: 8 * 1024 * 1024 }

/**
 * Calls that are made close together share a round trip and a commit. While some are under way, others gather: so the busier the
 * server, the larger the batches, and a lone call waits for nobody.
 */
export function batched<Item, Answer>(options: BatchOptions<Item, Answer>): Batched<Item, Answer> {
  const { clock, run, weigh = () => 0, most = usualSize, isOfTheServer = () => false, atOnce = 2 } = options
  let waiting: Waiting<Item, Answer>[] = []
  let underWay = 0
  let scheduled = false
  const whenIdle: (() => void)[] = []

  function schedule(): void {
    if (scheduled || underWay >= atOnce || waiting.length === 0) return
    scheduled = true
    clock.soon(depart)
  }

  function depart(): void {
    scheduled = false
    // Somebody was in a hurry meanwhile.
    if (underWay >= atOnce) return
    const batch = nextBatch()
    if (batch.length === 0) return
    underWay++
    void runTogether(batch).finally(() => {
      underWay--
      schedule()
      if (underWay === 0 && waiting.length === 0) for (const resolve of whenIdle.splice(0)) resolve()
    })
    schedule()
  }

  function nextBatch(): Waiting<Item, Answer>[] {
    let bytes = 0
    const tooMany = waiting.findIndex(({ item }, index) => {
      bytes += weigh(item)
      return index >= most.items || (bytes > most.bytes && index > 0)
    })
    const batch = tooMany < 0 ? waiting : waiting.slice(0, tooMany)
    waiting = tooMany < 0 ? [] : waiting.slice(tooMany)
    return batch
  }

  /** What one of them did wrong is its own affair: when the server refuses a batch, its halves are tried, down to the one. */
  async function runTogether(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(batch.map(({ item }) => item))
      for (const [index, one] of batch.entries()) finish(one, answers[index])
    } catch (error) {
      if (batch.length === 1 || isOfTheServer(error) || ofTheServer.some((code) => hasCode(error, code))) {
        for (const one of batch) one.reject(error)
        return
      }
      const middle = Math.ceil(batch.length / 2)
      await runTogether(batch.slice(0, middle))
      await runTogether(batch.slice(middle))
    }
  }

  function finish(one: Waiting<Item, Answer>, answer: Answer | RedriveError | undefined): void {
    if (answer instanceof RedriveError) one.reject(answer)
    else one.resolve(answer as Answer)
  }

  return {
    call: (item) =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        schedule()
      }),
    hurry() {
      if (underWay < atOnce && waiting.length > 0) depart()
    },
    idle: () => (underWay === 0 && waiting.length === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.push(resolve))),
  }
}
