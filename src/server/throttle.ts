import type { Clock } from '../core/ports.ts'
import { TryLaterError } from './problem.ts'

/**
 * Slows down whoever guesses. After some free attempts each one costs a wait that doubles, up to a minute: nobody is ever locked out, and
 * nobody guesses more than about one a minute. An attempt counts when it begins, so that a hundred at once are a hundred. What failed is forgotten
 * at the same pace, whether or not others go on trying: a network of many people has somebody who mistypes all day.
 */
export interface Throttle {
  /** Throws when it is too early for another one. */
  attempt(key: string): void
  /** The same for who is only heard less often, and never refused. */
  allows(key: string): boolean
  /** It was no guess, and whoever made it is known: all is forgotten. */
  forget(key: string): void
  /** It was no guess, but says nothing about the others: only this one does not count. */
  refund(key: string): void
}

export interface ThrottleOptions {
  readonly clock: Clock
  /** Attempts without a wait. */
  readonly free: number
}

const longestWait = 60_000
/** One attempt is forgotten in so long: not sooner than the next one may come, so that waiting wins nobody a guess. */
const forgottenIn = longestWait
const mostRemembered = 10_000

export function createThrottle({ clock, free }: ThrottleOptions): Throttle {
  const known = new Map<string, { readonly attempts: number; readonly at: number; readonly until: number }>()

  /** How many of its attempts are not forgotten yet, by then. */
  function remembered(key: string, now: number): number {
    const entry = known.get(key)
    return entry ? Math.max(0, entry.attempts - (now - entry.at) / forgottenIn) : 0
  }

  function begin(key: string, now: number): void {
    const attempts = remembered(key, now) + 1
    const wait = attempts > free ? Math.min(1000 * 2 ** Math.ceil(attempts - free), longestWait) : 0
    known.delete(key)
    known.set(key, { attempts, at: now, until: now + wait })
    if (known.size > mostRemembered) known.delete(known.keys().next().value ?? key)
  }

  /** Milliseconds until the next one may come. */
  function waitOf(key: string, now: number): number {
    return Math.max(0, (known.get(key)?.until ?? 0) - now)
  }

  return {
    attempt(key) {
      const now = clock.monotonic()
      const wait = waitOf(key, now)
      if (wait > 0) throw new TryLaterError(Math.ceil(wait / 1000), 'Too many attempts have failed. Wait before the next one.')
      begin(key, now)
    },
    allows(key) {
      const now = clock.monotonic()
      if (waitOf(key, now) > 0) return false
      begin(key, now)
      return true
    },
    forget: (key) => void known.delete(key),
    refund(key) {
      const now = clock.monotonic()
      if (known.has(key)) known.set(key, { attempts: Math.max(0, remembered(key, now) - 1), at: now, until: 0 })
    },
  }
}

/** One machine has as many IPv6 addresses as it likes within its network of 64 bits. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  if (address.toLowerCase().startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const rest = tail?.split(':').filter((group) => group !== '') ?? []
  while (tail !== undefined && groups.length + rest.length < 8) groups.push('0')
  return [...groups, ...rest].slice(0, 4).join(':')
}
