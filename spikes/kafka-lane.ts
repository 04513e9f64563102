/**
 * One partition in our hands. A log only stores one number per partition, so everything else that we must remember about
 * messages travels in the metadata of the commit: what is done beyond the number, what may be in hand, and turns.
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
  /** When something will be ripe that is not yet. */
  ripensAt(): number
  /** Takes at most `max` ripe items. What it took must be committed as begun before anybody sees it, when `begin` says so. */
  handOut(max: number, now: number): Handed<T>[]
  /** Makes room for handing out `count` more: what was begun is a suspect after a crash. Tells whether that is news. */
  begin(count: number): boolean
  done(offset: bigint): void
  again(offset: bigint, notBefore: number, countsAsTurn: boolean): void
  /** `parting`: nothing is in hand any more, so only old suspects stay suspect. */
  commit(parting?: boolean): Commit
}

interface Memory {
  /** In order: everything below may have been in hand. */
  begun?: string
  /** Out of order: exactly these may have been. */
  hand?: string[]
  done?: string[]
  turns?: Record<string, number>
}

/** `ordered`: later ones wait for earlier ones. Otherwise each waits for its own time only. */
export function lane<T>(committed: bigint, metadata: string | null, ordered: boolean): Lane<T> {
  const memory: Memory = metadata?.startsWith('{') ? JSON.parse(metadata) : {}
  const suspectsBelow = BigInt(memory.begun ?? committed)
  const suspects = new Set((memory.hand ?? []).map(BigInt))
  const done = new Set((memory.done ?? []).map(BigInt))
  const turns = new Map(Object.entries(memory.turns ?? {}).map(([offset, count]) => [BigInt(offset), count]))
  const cleared = new Set<bigint>()
  const waiting: Item<T>[] = []
  const inHand = new Map<bigint, Item<T>>()
  let begun = suspectsBelow
  let floor = committed

  const isDone = (offset: bigint): boolean => offset < floor || done.has(offset)
  const isSuspect = (offset: bigint): boolean => !cleared.has(offset) && (ordered ? offset < suspectsBelow : suspects.has(offset))
  const oldSuspects = (): bigint[] => waiting.map(({ offset }) => offset).filter((offset) => isSuspect(offset) && !isDone(offset))

  function ripe(now: number): Item<T> | undefined {
    while (waiting[0] && isDone(waiting[0].offset)) waiting.shift()
    const candidates = ordered ? waiting.slice(0, 1) : waiting
    return candidates.find((item) => item.notBefore <= now && !isDone(item.offset))
  }

  function take(item: Item<T>): Handed<T> {
    const { offset } = item
    const suspect = isSuspect(offset)
    const had = turns.get(offset) ?? 0
    waiting.splice(waiting.indexOf(item), 1)
    inHand.set(offset, item)
    if (suspect) turns.set(offset, had + 1)
    return { item, turns: had, suspect }
  }

  return {
    hold: new AbortController(),
    next: committed,
    waiting,
    inHand,
    suspectFirst(now) {
      const item = ripe(now)
      return item !== undefined && isSuspect(item.offset)
    },
    ripensAt: () => Math.min(...(ordered ? waiting.slice(0, 1) : waiting).map((item) => item.notBefore || Infinity)),
    handOut(max, now) {
      const handed: Handed<T>[] = []
      for (let item = ripe(now); item && handed.length < max; item = ripe(now)) {
        const alone = isSuspect(item.offset)
        if ((alone && handed.length > 0) || (ordered && item.offset >= begun)) break
        handed.push(take(item))
        if (alone) break
      }
      return handed
    },
    begin(count) {
      if (!ordered) return ripe(performance.now()) !== undefined
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
      turns.set(offset, (turns.get(offset) ?? 0) + (countsAsTurn ? 1 : 0) - (isSuspect(offset) ? 1 : 0))
      cleared.add(offset)
      item.notBefore = notBefore
      const index = waiting.findIndex((each) => each.offset > offset)
      waiting.splice(index < 0 ? waiting.length : index, 0, item)
    },
    commit(parting = false) {
      const old = oldSuspects()
      const counted = [...turns].filter(([, count]) => count > 0).map(([offset, count]) => [String(offset), count])
      const memory: Memory = {
        ...(ordered ? { begun: String(!parting ? begun : old.length > 0 ? suspectsBelow : floor) } : {}),
        ...(ordered ? {} : { hand: [...(parting ? [] : inHand.keys()), ...old].map(String) }),
        done: [...done].map(String),
        turns: Object.fromEntries(counted),
      }
      return { offset: floor, metadata: JSON.stringify(memory) }
    },
  }
}
