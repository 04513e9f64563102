let written = { at: Number.NaN, text: '' }

/** ISO-8601 in UTC, as most dialects write it. Many letters are written in one millisecond: its text is made once for all of them. */
export function isoTime(at: number): string {
  if (written.at !== at) written = { at, text: new Date(at).toISOString() }
  return written.text
}

/** The same moment with its offset written out, as Python writes it. */
export function isoTimeWithOffset(at: number): string {
  return isoTime(at).replace('Z', '+00:00')
}
