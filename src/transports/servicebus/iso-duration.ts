/** Durations as the administration API writes them, such as `PT1M30S`. */
export function durationText(ms: number): string {
  return `PT${ms / 1000}S`
}

/** Milliseconds; `Infinity` for the longest that there is, which the service means by no end. */
export function durationFrom(text: string | undefined): number {
  const parts = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text ?? '')
  if (!parts) return Number.POSITIVE_INFINITY
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((part) => Number(part ?? 0))
  return days > 10_000_000 ? Number.POSITIVE_INFINITY : (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
}
