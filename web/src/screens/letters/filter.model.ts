/** A value of a filter; what means something to the filter language stands in quotes. */
export function quoted(value: string): string {
  return /^[^\s,*()":<>=-][^\s,*()":<>=]*$/.test(value) ? value : `"${value.replaceAll('"', '""')}"`
}

/** The fingerprint as filters take it, without its version, which holds a colon. */
export function causeFilter(fingerprint: string): string {
  return `cause:${fingerprint.replace(/^\w+:/, '')}`
}
