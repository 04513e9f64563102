import { RedriveError } from '../src/core/errors.ts'
import type { Transport } from '../src/transports/seam.ts'

/** What a spike has beside the seam: a way to vanish as a killed process would, without settling or saying goodbye. */
export interface Spike extends Transport {
  crash(): Promise<void>
}

export const absent = (verb: string) => (): Promise<never> =>
  Promise.reject(new RedriveError('unsupported', `This spike has no ${verb}.`))

/** What arrives by push and is taken by pull. */
export interface Mailbox<T> {
  readonly items: T[]
  put(item: T): void
  take(max: number, wait: number): Promise<T[]>
  /** Wakes the one who waits, who may then find nothing. */
  wake(): void
  /** Nothing is given out any more. */
  close(): void
}

export function mailbox<T>(): Mailbox<T> {
  const items: T[] = []
  let wake = (): void => {}
  let closed = false
  return {
    items,
    put(item) {
      items.push(item)
      wake()
    },
    async take(max, wait) {
      if (items.length === 0 && !closed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, wait)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return closed ? [] : items.splice(0, max)
    },
    wake: () => wake(),
    close() {
      closed = true
      wake()
    },
  }
}

/** Runs `work` once for all calls made in the same turn of the event loop; each of them gets its outcome. */
export function coalesce(work: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined
  return () => {
    next ??= new Promise((resolve, reject) =>
      setImmediate(() => {
        next = undefined
        work().then(resolve, reject)
      }),
    )
    return next
  }
}

export function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RedriveError('unsure', `${what} was not answered in time.`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
