import type { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Delivery, Receiver } from '../transports/seam.ts'
import type { Arrival } from '../vault/arrival.ts'
import type { Vault } from '../vault/vault.ts'
import { arrivalOf } from './arrival-of.ts'
import type { DiskRoom } from './disk-room.ts'
import { ingestAll } from './ingest-all.ts'
import { readingAgain } from './reading-again.ts'
import { nameOf, type Source } from './source.ts'

export interface CollectOptions {
  readonly vault: Vault
  readonly clock: Clock
  /** Bytes that nobody else has. */
  readonly draw: (bytes: number) => Uint8Array
  /** Asked before anything is taken from the broker. */
  readonly room?: DiskRoom
  readonly onKept?: (kept: Kept) => void
  readonly onProblem?: (problem: RedriveError) => void
}

export interface Kept {
  readonly source: number
  readonly letters: readonly number[]
  readonly duplicates: number
  readonly reopenedCauses: readonly number[]
}

export interface Collector {
  /** Resolves when nothing is in its hands any more. What it held and had not kept is still on the broker. */
  stop(): Promise<void>
}

const batch = 500
const hold = 60_000
/** Milliseconds at a stretch: whoever writes keeps all other writers waiting, and each of its sources may read before the next answer is heard. */
const longestReading = 1

/** Of letters that are larger than that together, no more are read while they are kept. Bytes. */
const mostReadAhead = 8 * 1024 * 1024

/**
 * Empties a source into the vault: a letter is durable there before the broker hears that it may forget it. A collector that dies in between
 * is given the letter again, and knows it.
 */
export function collect(source: Source, options: CollectOptions): Collector {
  const { vault, clock, draw } = options
  const stopping = new AbortController()
  // What could not be noted is still known when it tries again.
  const marks = createMarks(vault)
  const running = readingAgain(source, stopping.signal, options, collectUntilLost)

  async function collectUntilLost(goesWell: (isAtEnd: boolean) => void): Promise<void> {
    await options.room?.()
    const { address } = source
    const { id } = await vault.write('registerSource', nameOf(source))
    const { newest } = await vault.write('collectionBegins', { source: id })
    const isNothingLeft = createRemainderCheck(source, clock)
    await marks.catchUp()
    const receiver = await source.transport.receive(address, { prefetch: batch, hold })
    const close = () => void receiver.close().catch(() => {})
    stopping.signal.addEventListener('abort', close)
    let ahead: Promise<Taken> | undefined
    try {
      for (let wasEmpty = false; ahead || (!stopping.signal.aborted && !receiver.lost.aborted); ) {
        const taken = await (ahead ?? take(receiver))
        ahead = mayReadAhead(taken) ? take(receiver) : undefined
        // Whoever waits for it hears of a failure.
        ahead?.catch(() => {})
        await keep(taken, id, marks)
        // What is left is still on the broker, which says how old it is.
        goesWell(true)
        if (taken.deliveries.length > 0 || wasEmpty || stopping.signal.aborted) continue
        wasEmpty = await isNothingLeft()
        if (wasEmpty) await vault.write('nothingIsLeft', { source: id, newest })
      }
    } finally {
      stopping.signal.removeEventListener('abort', close)
      await receiver.close().catch(() => {})
      await ahead?.then(({ deliveries }) => release(deliveries)).catch(() => {})
      await marks.done()
    }
  }

  /** What is on its way when it stops is kept as well: to give it back would count as a delivery on most brokers. */
  function mayReadAhead({ arrivals }: Taken): boolean {
    const bytes = arrivals.reduce((sum, { body }) => sum + (body?.byteLength ?? 0), 0)
    return arrivals.length > 0 && bytes <= mostReadAhead && !stopping.signal.aborted
  }

  async function take(receiver: Receiver): Promise<Taken> {
    await options.room?.()
    const deliveries = await receiver.take(batch, 1000)
    const now = clock.now()
    return { deliveries, now, arrivals: await readAll(deliveries, now) }
  }

  async function keep({ deliveries, now, arrivals }: Taken, id: number, marks: Marks): Promise<void> {
    // Until it is known that the last ones are gone, one that is like them may be one of them.
    await marks.done().catch((error) => giveBack(deliveries, error))
    if (deliveries.length === 0) return
    const ingested = await ingestAll(vault, { source: id, now, arrivals }).catch((error) => giveBack(deliveries, error))
    const fresh = ingested.letters.filter(({ duplicate }) => !duplicate)
    options.onKept?.({
      source: id,
      letters: fresh.map((letter) => letter.id),
      duplicates: ingested.letters.length - fresh.length,
      reopenedCauses: ingested.reopenedCauses,
    })
    await complete(deliveries, ingested.letters, marks)
  }

  /** Reading a letter is work: everybody else in this process has a turn in between. */
  async function readAll(deliveries: readonly Delivery[], now: number): Promise<readonly Arrival[]> {
    const arrivals: Arrival[] = []
    let startedAt = clock.monotonic()
    for (const delivery of deliveries) {
      arrivals.push(arrivalOf(foundIn(delivery), now, draw(8)))
      if (clock.monotonic() - startedAt < longestReading) continue
      await new Promise<void>((resolve) => clock.soon(resolve))
      startedAt = clock.monotonic()
    }
    return arrivals
  }

  /** What the vault could not keep stays on the broker, and may be tried by another control plane. */
  async function giveBack(deliveries: readonly Delivery[], error: unknown): Promise<never> {
    await release(deliveries)
    throw error
  }

  async function release(deliveries: readonly Delivery[]): Promise<void> {
    await Promise.allSettled(deliveries.map((delivery) => source.transport.settle(delivery, { kind: 'release' })))
  }

  async function complete(
    deliveries: readonly Delivery[],
    letters: readonly { readonly id: number }[],
    marks: Marks,
  ): Promise<void> {
    const settled = await Promise.allSettled(
      deliveries.map((delivery) => source.transport.settle(delivery, { kind: 'complete' })),
    )
    const accepted = letters.filter(({ id }, index) => id > 0 && settled[index]?.status === 'fulfilled')
    marks.add(accepted.map(({ id }) => id))
    const refused = settled.find((outcome) => outcome.status === 'rejected')
    if (refused) throw refused.reason
  }

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Letters in hand, as they were read. */
interface Taken {
  readonly deliveries: readonly Delivery[]
  readonly arrivals: readonly Arrival[]
  readonly now: number
}

/** Notes which letters the broker has let go of, while the next ones are taken and read. */
interface Marks {
  /** Only once those before are done. */
  add(letters: readonly number[]): void
  /** Resolves when all of it is noted, and rejects where it was not. */
  done(): Promise<void>
  /** Notes what could not be noted before. Until then, a letter that is like one of them would be taken for it, and be nowhere any more. */
  catchUp(): Promise<void>
}

function createMarks(vault: Vault): Marks {
  let missing: readonly number[] = []
  let marking: Promise<void> = Promise.resolve()

  async function mark(): Promise<void> {
    await vault.write('lettersCompleted', { letters: missing })
    missing = []
  }

  return {
    add(letters) {
      missing = [...missing, ...letters]
      marking = mark()
      // It is heard of by whoever asks whether it is done.
      marking.catch(() => {})
    },
    done: () => marking,
    async catchUp() {
      if (missing.length > 0) await mark()
      marking = Promise.resolve()
    },
  }
}

/**
 * Tells whether all that was on the broker when a collector began has come to it or is gone. A log keeps what was collected; where it does not
 * tell what others hold, that may still come. A queue that does not tell looks empty while a collector that died is still thought to be
 * alive: only once that one can hold nothing any more is it empty, and before that nobody asks again. What is told late may be from before it began.
 */
function createRemainderCheck({ transport, address }: Source, clock: Clock): () => Promise<boolean> {
  const begunAt = clock.monotonic()
  let tellsFrom = begunAt
  return async () => {
    const askedAt = clock.monotonic()
    if (askedAt < tellsFrom) return false
    const { retained, pending, heldUnseen, lateBy = 0 } = await transport.measure(address)
    tellsFrom = begunAt + (heldUnseen ?? lateBy)
    return (heldUnseen === undefined ? pending : retained) === 0 && askedAt >= tellsFrom
  }
}

function foundIn({ message, address, position, deliveries, suspect, enqueuedAt }: Delivery): Parameters<typeof arrivalOf>[0] {
  return {
    message,
    channel: address.name,
    deliveredBefore: suspect || deliveries > 1,
    broker: 'completing',
    ...(position !== undefined && { position }),
    ...(enqueuedAt !== undefined && { enqueuedAt }),
  }
}
