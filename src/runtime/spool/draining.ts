import { delayFor } from '../../core/backoff.ts'
import { hasCode } from '../../core/errors.ts'
import type { Backoff } from '../../core/policy.ts'
import type { Clock, Random } from '../../core/ports.ts'
import type { Batch, BatchFiles } from './batch-files.ts'
import { decodeLetter, type SpooledLetter } from './spooled-letter.ts'

/** Sends what waits in the spool, oldest first, one after the other, no faster than it may. */
export interface Draining {
  /** There may be something to send. */
  proceed(): void
  /** Goes on while letters are taken, for at most `limit` milliseconds; the first one that is refused ends it. */
  stop(limit: number): Promise<void>
  /** After `stop`: resolves when its last send was answered and its last file is done with, however long that takes. */
  ended(): Promise<void>
}

export interface DrainingListener {
  send(letter: SpooledLetter): Promise<unknown>
  sent(letter: SpooledLetter): void
  refused(letter: SpooledLetter, error: unknown): void
  /** A file held something that is no letter, or a letter that its channel will never take: it was kept for a person. */
  setAside(file: string, why: string): void
  /** The disk failed; it is tried again. */
  failed(error: unknown): void
  empty(): void
}

const backoff: Backoff = { kind: 'exponential', first: 500, max: 15_000, factor: 2, jitter: 0.2 }

/** `rate` is in letters a second. */
export function createDraining(
  batches: BatchFiles,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  rate: number,
  listener: DrainingListener,
): Draining {
  let running: Promise<void> | undefined
  let lastSend = Number.NEGATIVE_INFINITY
  let endWait: (() => void) | undefined
  /** The first refusal ends it. */
  let stopping = false
  /** Nothing more is begun. */
  let halted = false

  return {
    proceed() {
      if (!stopping) start()
    },
    async stop(limit) {
      stopping = true
      start()
      endWait?.()
      if (running) await within(clock, limit, running)
      halted = true
      endWait?.()
    },
    ended: async () => running,
  }

  function start(): void {
    if (batches.oldest()) running ??= run()
  }

  async function run(): Promise<void> {
    let failures = 0
    for (let batch = batches.oldest(); batch && !halted; batch = batches.oldest()) {
      try {
        await sendBatch(batch)
        failures = 0
      } catch (error) {
        listener.failed(error)
        if (stopping) break
        await wait(delayFor(backoff, ++failures, random()))
      }
    }
    running = undefined
    if (batches.depth === 0) listener.empty()
  }

  async function sendBatch(batch: Batch): Promise<void> {
    const { contents, damaged } = await batches.read(batch)
    while (batches.passed < contents.length) {
      const isDone = await sendOne(contents[batches.passed] as Uint8Array)
      if (!isDone) return batches.shorten(batch, contents)
    }
    if (damaged === 0 && contents.length === batch.count) return batches.drop(batch)
    const file = await batches.setAside(batch)
    listener.setAside(file, `${batch.count - contents.length} of its ${batch.count} letters are damaged; the others were sent`)
  }

  /** Tells whether the letter is taken care of; otherwise the drain is halted. */
  async function sendOne(content: Uint8Array): Promise<boolean> {
    const letter = decodeLetter(content)
    for (let failures = 1; !halted; failures++) {
      await keepPace()
      if (halted) break
      try {
        await listener.send(letter)
        batches.pass()
        listener.sent(letter)
        return true
      } catch (error) {
        listener.refused(letter, error)
        if (isHopeless(error)) return keepForAPerson(content)
        if (stopping) halted = true
        else await wait(delayFor(backoff, failures, random()))
      }
    }
    return false
  }

  async function keepForAPerson(content: Uint8Array): Promise<true> {
    const file = await batches.keepAside(content)
    batches.pass()
    listener.setAside(file, 'the channel will never take this letter')
    return true
  }

  async function keepPace(): Promise<void> {
    const early = lastSend + 1000 / rate - clock.monotonic()
    if (early > 0) await wait(early)
    lastSend = clock.monotonic()
  }

  async function wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve, { background: true })
      endWait = () => {
        cancel()
        resolve()
      }
    })
    endWait = undefined
  }
}

/** Waits for the work, for at most so many milliseconds. When it fails later than that, nobody hears of it. */
export async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  let cancel = (): void => {}
  const timeIsUp = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  try {
    await Promise.race([work, timeIsUp])
  } finally {
    cancel()
  }
}

/** Only about this letter, and the same however often it is sent. */
export function isHopeless(error: unknown): boolean {
  return hasCode(error, 'too-large') || hasCode(error, 'bad-message')
}
