/** What is left of the spools when everything has come to an end. */
export interface SpoolEnding {
  /** Files with letters that nobody sent. */
  readonly waiting: readonly string[]
  /** Files that were kept for a person: nothing in a simulation gives a reason for that. */
  readonly aside: readonly string[]
  readonly overtaking: readonly string[]
}

export function spoolViolations({ aside, overtaking }: SpoolEnding): readonly string[] {
  return [...aside.map((path) => `${path} was set aside: it was damaged, though what a disk keeps was synced`), ...overtaking]
}
