/** An entry is known by its stream and its id; within this process it has a number besides. */
export interface Entry {
  readonly channel: string
  readonly id: string
  /** The consumer that it was handed to. */
  readonly holder: string
  /** Its body stands in the stream as we would write it: a move need not bring it along. */
  readonly hasOwnBody: boolean
}

export interface Entries {
  /** The same number for the same entry, until it is forgotten. Whoever asks again has claimed it anew. */
  numberOf(entry: Entry): number
  entryOf(number: number): Entry | undefined
  /** Unless it was claimed anew meanwhile. */
  forget(number: number, entry: Entry): void
}

export function createEntries(): Entries {
  /** By channel and id. */
  const numbers = new Map<string, Map<string, number>>()
  const entries = new Map<number, Entry>()
  let last = 0

  function numbersIn(channel: string): Map<string, number> {
    const known = numbers.get(channel)
    if (known) return known
    const none = new Map<string, number>()
    numbers.set(channel, none)
    return none
  }

  return {
    numberOf(entry) {
      const known = numbersIn(entry.channel)
      const number = known.get(entry.id) ?? ++last
      if (number === last) known.set(entry.id, number)
      entries.set(number, entry)
      return number
    },
    entryOf: (number) => entries.get(number),
    forget(number, entry) {
      if (entries.get(number) !== entry) return
      numbersIn(entry.channel).delete(entry.id)
      entries.delete(number)
    },
  }
}

/** The first half of an entry's id is the server's clock. */
export function timeOf(id: string): number {
  return Number(id.slice(0, id.indexOf('-')))
}
