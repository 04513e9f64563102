import type { Cancel, Clock } from '../../core/ports.ts'
import { type Lock, loseLock } from './held.ts'
import { reasonOf, within } from './sdk-errors.ts'

/** Renews locks while they are to be kept, and tells when one is over. One timer for all of them. */
export interface LockKeeper {
  add(lock: Lock): void
  remove(lock: Lock): void
  /** Keeps it until then; resolves when it is certain to last for a term, with its end. */
  extend(lock: Lock, until: number): Promise<number>
  stop(): void
}

/** How often locks are looked at, at most and at least. Milliseconds. */
const look = { least: 50, most: 1000 }
const lost = /^(MessageLockLost|SessionLockLost|MessageNotFound)/

export function createLockKeeper(clock: Clock, answerWithin: number): LockKeeper {
  const locks = new Set<Lock>()
  let cancel: Cancel | undefined
  let stopped = false

  async function renew(lock: Lock): Promise<void> {
    lock.renewing = true
    try {
      lock.until = (await within(clock, answerWithin, 'unsure', lock.renew(), { background: true })).getTime()
    } catch (cause) {
      // Anything else may be over the next time, for as long as the lock lasts.
      if (lost.test(reasonOf(cause)) || lock.until <= clock.now()) lose(lock, cause)
      else throw cause
    } finally {
      lock.renewing = false
    }
  }

  function lose(lock: Lock, cause?: unknown): void {
    locks.delete(lock)
    loseLock(lock, 'The lock has ended: the message goes to somebody else.', cause)
  }

  function watch(): void {
    if (cancel || stopped || locks.size === 0) return
    const shortest = Math.min(...[...locks].map(({ term }) => term))
    const every = Math.min(look.most, Math.max(look.least, shortest / 8))
    cancel = clock.after(every, inspect, { background: true })
  }

  function inspect(): void {
    cancel = undefined
    const now = clock.now()
    for (const lock of [...locks]) {
      const wanted = lock.keepUntil > lock.until
      if (wanted && lock.until - now <= lock.term / 2 && !lock.renewing) renew(lock).catch(() => {})
      else if (lock.until <= now && !lock.renewing) lose(lock)
    }
    watch()
  }

  return {
    add(lock) {
      locks.add(lock)
      watch()
    },
    remove(lock) {
      locks.delete(lock)
    },
    async extend(lock, until) {
      lock.keepUntil = Math.max(lock.keepUntil, until)
      await renew(lock)
      if (lock.loss) throw lock.loss
      return Math.max(lock.until, lock.keepUntil)
    },
    stop() {
      stopped = true
      cancel?.()
    },
  }
}
