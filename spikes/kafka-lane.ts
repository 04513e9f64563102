/**
 * One partition in our hands. A log only stores one number per partition, so everything else that we must remember about
 * messages travels in the metadata of the commit: what is done beyond the number, how far we have handed out, and turns.
 */
export interface Item<T> {
  readonly offset: bigint
  readonly value: T
  notBefore: number
}

export interface Commit {
  readonly offset: bigint
  readonly metadata: string
}

export interface Handed<T> {
  readonly item: Item<T>
  readonly turns: number
  readonly suspect: boolean
}

export interface Lane<T> {
  readonly hold: AbortController
  /** Where the next fetch begins. */
  next: bigint
  readonly waiting: Item<T>[]
  readonly inHand: Map<bigint, Item<T>>
  /** Whether what comes next must run alone. */
  suspectFirst(now: number): boolean
  /** Takes at most `max` from the front, never past what was recorded as begun. Only ripe items, and in order. */
  handOut(max: number, now: number): Handed<T>[]
  /** Records that more will be handed out: what lies below this offset is a suspect after a crash. */
  begin(count: number): boolean
  done(offset: bigint): void
  again(offset: bigint, notBefore: number, countsAsTurn: boolean): void
  commit(): Commit
}

interface Memory {
  begun?: string
  done?: string[]
  turns?: Record<string, number>
}

export function lane<T>(committed: bigint, metadata: string | null): Lane<T> {
  const memory: Memory = metadata?.startsWith('{') ? JSON.parse(metadata) : {}
  const suspectsBelow = BigInt(memory.begun ?? committed)
  const done = new Set((memory.done ?? []).map(BigInt))
  const turns = new Map(Object.entries(memory.turns ?? {}).map(([offset, count]) => [BigInt(offset), count]))
  const cleared = new Set<bigint>()
  const waiting: Item<T>[] = []
  const inHand = new Map<bigint, Item<T>>()
  let begun = suspectsBelow
  let floor = committed

  const isSuspect = (offset: bigint): boolean => offset < suspectsBelow && !cleared.has(offset)
  const ripe = (now: number): Item<T> | undefined => {
    while (waiting[0] && done.has(waiting[0].offset)) waiting.shift()
    return waiting[0] && waiting[0].notBefore <= now ? waiting[0] : undefined
  }

  return {
    hold: new AbortController(),
    next: committed,
    waiting,
    inHand,
    suspectFirst: (now) => isSuspect(ripe(now)?.offset ?? suspectsBelow),
    handOut(max, now) {
      const handed: Handed<T>[] = []
      for (let item = ripe(now); item && handed.length < max; item = ripe(now)) {
        const suspect = isSuspect(item.offset)
        if (item.offset >= begun || (suspect && handed.length > 0)) break
        waiting.shift()
        inHand.set(item.offset, item)
        handed.push({ item, turns: turns.get(item.offset) ?? 0, suspect })
        if (suspect) {
          turns.set(item.offset, (turns.get(item.offset) ?? 0) + 1)
          break
        }
      }
      return handed
    },
    begin(count) {
      const head = waiting[0]
      if (!head || head.offset < begun) return false
      begun = (waiting[Math.min(count, waiting.length) - 1]?.offset ?? head.offset) + 1n
      return true
    },
    done(offset) {
      inHand.delete(offset)
      turns.delete(offset)
      done.add(offset)
      while (done.delete(floor)) floor++
    },
    again(offset, notBefore, countsAsTurn) {
      const item = inHand.get(offset)
      if (!item) return
      inHand.delete(offset)
      // A suspect's turn was recorded when it was handed out; a release takes it back.
      const counted = isSuspect(offset)
      const change = (countsAsTurn ? 1 : 0) - (counted ? 1 : 0)
      turns.set(offset, (turns.get(offset) ?? 0) + change)
      cleared.add(offset)
      item.notBefore = notBefore
      const index = waiting.findIndex((each) => each.offset > offset)
      waiting.splice(index < 0 ? waiting.length : index, 0, item)
    },
    commit() {
      const counted = [...turns].filter(([, count]) => count > 0).map(([offset, count]) => [String(offset), count])
      const memory: Memory = { begun: String(begun), done: [...done].map(String), turns: Object.fromEntries(counted) }
      return { offset: floor, metadata: JSON.stringify(memory) }
    },
  }
}
