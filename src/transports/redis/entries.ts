/** An entry is known by its stream and its id; within this process it has a number besides. */
export interface Entry {
  readonly channel: string
  readonly id: string
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
  const numbers = new Map<string, number>()
  const entries = new Map<number, Entry>()
  let last = 0
  const nameOf = ({ channel, id }: Entry): string => `${id} ${channel}`
  return {
    numberOf(entry) {
      const number = numbers.get(nameOf(entry)) ?? ++last
      numbers.set(nameOf(entry), number)
      entries.set(number, entry)
      return number
    },
    entryOf: (number) => entries.get(number),
    forget(number, entry) {
      if (entries.get(number) !== entry) return
      numbers.delete(nameOf(entry))
      entries.delete(number)
    },
  }
}
