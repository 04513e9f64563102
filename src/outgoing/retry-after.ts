/** Nobody waits longer than this because a receiver asked for it. */
const longest = 15 * 60_000

/** Milliseconds from now, of the header `retry-after`: seconds or a date. Nothing where it is neither. */
export function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longest)
}
