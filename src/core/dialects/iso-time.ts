/** ISO-8601 in UTC, as most dialects write it. */
export function isoTime(at: number): string {
  return new Date(at).toISOString()
}

/** The same moment with its offset written out, as Python writes it. */
export function isoTimeWithOffset(at: number): string {
  return isoTime(at).replace('Z', '+00:00')
}
