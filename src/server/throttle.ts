import type { Clock } from '../core/ports.ts'
import { TryLaterError } from './problem.ts'

/**
 * Slows down whoever guesses. After some free attempts each one costs a wait that doubles, up to a minute: nobody is ever locked out, and
 * nobody guesses more than about one a minute. An attempt counts when it begins, so that a hundred at once are a hundred.
 */
export interface Throttle {
  /** Throws when it is too early for another one. */
  attempt(key: string): void
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
/** Whoever has not tried for so long is forgotten. */
const memory = 15 * 60_000
const mostRemembered = 10_000

export function createThrottle({ clock, free }: ThrottleOptions): Throttle {
  const known = new Map<string, { readonly attempts: number; readonly at: number; readonly until: number }>()

  return {
    attempt(key) {
      const now = clock.monotonic()
      const entry = known.get(key)
      if (entry && entry.until > now) {
        throw new TryLaterError(Math.ceil((entry.until - now) / 1000), 'Too many attempts have failed. Wait before the next one.')
      }
      const attempts = entry && now - entry.at < memory ? entry.attempts + 1 : 1
      const wait = attempts > free ? Math.min(1000 * 2 ** (attempts - free), longestWait) : 0
      known.delete(key)
      known.set(key, { attempts, at: now, until: now + wait })
      if (known.size > mostRemembered) known.delete(known.keys().next().value ?? key)
    },
    forget: (key) => void known.delete(key),
    refund(key) {
      const entry = known.get(key)
      if (entry) known.set(key, { attempts: entry.attempts - 1, at: entry.at, until: 0 })
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
