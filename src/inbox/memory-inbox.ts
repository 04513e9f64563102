import { durationWithin, objectWith } from '../core/option-checks.ts'
import { readOptions } from '../core/options.ts'
import { type Clock, clockVerbs } from '../core/ports.ts'
import { systemClock } from '../platform/clock.ts'
import { hasAsked } from '../runtime/context.ts'
import type { Middleware } from '../runtime/routes.ts'
import { type Claim, type Claimed, inboxKey } from './inbox.ts'

export interface MemoryInboxOptions {
  /** For how long it is remembered. Default: an hour. */
  readonly keep?: number | string
  readonly clock?: Clock
}

/** An inbox of one process, which forgets everything when that ends: for tests, and for work that may be done twice. */
export interface MemoryInbox {
  claim(claimed: Claimed): Claim
  /** It was processed: from now on it is `done`. */
  done(claimed: Claimed): void
  /** It was not: the next claim is `first` again. */
  giveUp(claimed: Claimed): void
}

/** How long a message waits that somebody else is at. */
const untilAnother = '1s'

export function memoryInbox(options: MemoryInboxOptions = {}): MemoryInbox {
  const given = readOptions(options, ['keep', 'clock'], 'memoryInbox')
  const keep = given.read('keep', durationWithin({ min: '1s', max: '365d' }), 3_600_000)
  const clock = given.read('clock', objectWith<Clock>(clockVerbs, 'a clock, such as virtualClock()'), systemClock)
  /** When it was done, oldest first; absent while somebody is at it. */
  const finished = new Map<string, number>()
  const atWork = new Set<string>()

  function forgetOld(): void {
    for (const [key, at] of finished) {
      if (clock.monotonic() - at < keep) return
      finished.delete(key)
    }
  }

  return {
    claim({ message }) {
      forgetOld()
      const key = inboxKey(message)
      if (finished.has(key)) return 'done'
      if (atWork.has(key)) return 'busy'
      atWork.add(key)
      return 'first'
    },
    done({ message }) {
      const key = inboxKey(message)
      atWork.delete(key)
      finished.set(key, clock.monotonic())
    },
    giveUp: ({ message }) => void atWork.delete(inboxKey(message)),
  }
}

/** Runs the handler for what is `first`; completes what is `done`; lets what somebody is at come back later. */
export function skipProcessed(inbox: MemoryInbox): Middleware {
  return async (context, next) => {
    const claim = inbox.claim(context)
    if (claim === 'done') return
    if (claim === 'busy') context.retry({ delay: untilAnother })
    try {
      await next()
      if (hasAsked(context)) inbox.giveUp(context)
      else inbox.done(context)
    } catch (error) {
      inbox.giveUp(context)
      throw error
    }
  }
}
