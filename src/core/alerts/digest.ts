import { collapse } from './collapse.ts'
import type { Notification } from './notification.ts'
import { summaryOf } from './summary.ts'

/**
 * Nobody reads the eleventh message in ten minutes. What is too much for a sink is held back, the latest of each group with all that ended
 * meanwhile, and told in one summary as soon as there is room. A critical alert that is news always passes.
 */
export interface Digest {
  /** When this sink was last told something. The engine's own time. */
  readonly sent: readonly number[]
  readonly held: readonly Notification[]
}

export const emptyDigest: Digest = { sent: [], held: [] }

const most = 10
const within = 10 * 60_000

export interface Offered {
  readonly digest: Digest
  /** What is to be said now, with what was held of its group; nothing where it has to wait. */
  readonly passes?: Notification
}

export function offer(digest: Digest, notification: Notification, now: number): Offered {
  const sent = recent(digest, now)
  const isOwn = ({ group }: Notification): boolean => group.dedupKey === notification.group.dedupKey
  const others = digest.held.filter((held) => !isOwn(held))
  const [first = notification, ...rest] = [...digest.held.filter(isOwn), notification]
  const latest = collapse([first, ...rest])
  if (sent.length < most || isNews(notification)) return { digest: { sent: [...sent, now], held: others }, passes: latest }
  return { digest: { sent, held: [...others, latest] } }
}

function isNews({ severity, status, reason }: Notification): boolean {
  return severity === 'CRITICAL' && status === 'firing' && (reason === 'first' || reason === 'new-alert')
}

/** When there will be room for a summary; nothing where nothing is held. */
export function releaseAt({ sent, held }: Digest): number | undefined {
  return held.length === 0 ? undefined : (sent.at(-most) ?? Number.NEGATIVE_INFINITY) + within
}

/** What was held, as one; nothing while there is no room. */
export function release(sink: string, digest: Digest, now: number, wallNow: number): { digest: Digest; summary?: Notification } {
  const sent = recent(digest, now)
  if (digest.held.length === 0 || sent.length >= most) return { digest }
  return { digest: { sent: [...sent, now], held: [] }, summary: summaryOf(sink, digest.held, now, wallNow) }
}

function recent({ sent }: Digest, now: number): readonly number[] {
  return sent.filter((at) => at > now - within)
}
