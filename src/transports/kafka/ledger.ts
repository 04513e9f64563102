import { addRange, notedTurns, notesSpan, type Range, readNotes, type TurnNote, writeNotes } from './commit-notes.ts'
import { type Entry, type Fetched, followsDone, fresh, isBegun, turnNote } from './ledger-entry.ts'

/**
 * The books of one partition that is ours. A log knows one number for each partition: everything below it is done. Here, records are
 * settled in any order; the number is the end of the gap-free prefix, and the rest goes into the notes that are committed with it.
 *
 * A record is *waiting* (fetched, and not handed out), *in hand*, or *done*. It waits for its turn in the order of the log, except
 * that one whose time has not come is passed over; one that was sent back for a while (`retry`) keeps later ones of its key
 * waiting as well. Pure: whoever uses it gives the time, and commits what `commit` says.
 */
export interface Ledger<T> {
  /** Where the next fetch begins. */
  readonly next: bigint
  /** Fetched and not handed out. */
  readonly waiting: number
  readonly inHand: number
  /** Grows with everything that a commit would tell otherwise. */
  readonly version: number
  /** What was fetched, in order. What is done already is passed over. */
  add(record: Fetched<T>): void
  /** Everything below was fetched, even where there was no record. */
  fetchedTo(offset: bigint): void
  /** What a take would begin with: a suspect must be handed out alone. */
  firstNow(now: number): 'suspect' | 'other' | undefined
  /**
   * Hands out at most `max`. A suspect comes alone, and its turn counts from now on. All of it is to be committed before anybody
   * sees it, or a crash would leave no trace of it.
   */
  take(max: number, now: number): readonly Handed<T>[]
  complete(offset: bigint): void
  /** As if it had not been handed out. */
  release(offset: bigint): void
  /** Another turn, not before `due`. Tells whether there was room to remember it; otherwise nothing happened. */
  retry(offset: bigint, due: number): boolean
  /** When the first record comes of age that is passed over now; `Infinity` without one. */
  ripensAt(): number
  /** `parting`: we let go of everything in hand, and nobody died of it. */
  commit(parting: boolean): { readonly offset: bigint; readonly metadata: string }
}

export interface Handed<T> {
  readonly offset: bigint
  readonly value: T
  /** Turns that it had before this one. */
  readonly turns: number
  readonly suspect: boolean
}

/**
 * `from` and `metadata` are what the group had committed. Records with the same key stay in order; it is only asked for while one
 * of them waits for its time.
 */
export function createLedger<T>(from: bigint, metadata: string | null, keyOf: (value: T) => string): Ledger<T> {
  const notes = readNotes(from, metadata)
  const doneBefore = new Set(notes.done)
  const begunBefore = new Set(notes.begun)
  const turnsBefore = new Map(notes.turns.map((note) => [note.offset, note]))
  /** In the order of the log, from the first that is not done. */
  let entries: Entry<T>[] = []
  /** No record before this index waits. */
  let firstWaiting = 0
  let next = from
  /** Nothing from this distance on was ever handed out, or has notes of its own. */
  let unmarked = 0
  let version = 0
  let waiting = 0
  let inHand = 0
  let turned = notes.turns.length

  /** Where the gap-free prefix ends. Only whoever asks for it pays for what has become part of it. */
  function floor(): bigint {
    let first = 0
    while (entries[first]?.state === 'done') first++
    if (first > 0) {
      entries = entries.slice(first)
      firstWaiting = Math.max(0, firstWaiting - first)
    }
    return entries[0]?.offset ?? next
  }

  /**
   * What is done side by side becomes one entry. While one record is not done, thousands behind it may be, and all of them would be kept
   * and told anew with each commit.
   */
  function joinDone(): void {
    let read = 0
    let kept = 0
    for (let entry = entries[0]; entry && entry.distance < unmarked; entry = entries[++read]) {
      const before = entries[kept - 1]
      if (before && followsDone(entry, before)) before.length += entry.length
      else entries[kept++] = entry
    }
    if (kept === read) return
    entries.splice(kept, read - kept)
    firstWaiting = firstWaiting < read ? 0 : firstWaiting - (read - kept)
  }

  function isEligible(entry: Entry<T>, now: number, held: ReadonlySet<string>): boolean {
    if (entry.state !== 'waiting' || entry.due > now || (held.size > 0 && held.has(keyOf(entry.value)))) return false
    return !entry.suspect || entry.turns > 0 || turned < notedTurns
  }

  /** Records that may be handed out now, in order, as long as `wants` says so. Those beyond the span wait: notes on them might not fit. */
  function visitEligible(now: number, wants: (entry: Entry<T>) => boolean): void {
    if (waiting === 0) return
    const held = new Set<string>()
    const end = Number(floor() - from) + notesSpan
    while (firstWaiting < entries.length && entries[firstWaiting]?.state !== 'waiting') firstWaiting++
    for (let index = firstWaiting; index < entries.length; index++) {
      const entry = entries[index] as Entry<T>
      if (entry.distance >= end) return
      if (entry.state === 'waiting' && entry.holdsKey && entry.due > now) held.add(keyOf(entry.value))
      else if (isEligible(entry, now, held) && !wants(entry)) return
    }
  }

  function setTurns(entry: Entry<T>, turns: number): void {
    turned += Number(turns > 0) - Number(entry.turns > 0)
    entry.turns = turns
  }

  function hand(entry: Entry<T>): Handed<T> {
    const { offset, value, turns, suspect } = entry
    if (suspect) setTurns(entry, turns + 1)
    entry.state = 'in-hand'
    entry.holdsKey = false
    unmarked = Math.max(unmarked, entry.distance + 1)
    waiting--
    inHand++
    return { offset, value, turns, suspect }
  }

  function inHandAt(offset: bigint): Entry<T> | undefined {
    const entry = entries[indexOf(offset)]
    return entry?.state === 'in-hand' ? entry : undefined
  }

  /** A log has few gaps, and what was joined stands before what is in hand: counted from the end, the first look is nearly always right. */
  function indexOf(offset: bigint): number {
    const guess = entries.length - 1 - Number((entries.at(-1)?.offset ?? offset) - offset)
    if (entries[guess]?.offset === offset) return guess
    let [low, high] = [0, entries.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      const at = (entries[middle] as Entry<T>).offset
      if (at === offset) return middle
      if (at < offset) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  function putBack(entry: Entry<T>): void {
    entry.state = 'waiting'
    firstWaiting = Math.min(firstWaiting, indexOf(entry.offset))
    inHand--
    waiting++
    version++
  }

  function noted(record: Fetched<T>): Entry<T> {
    const { offset } = record
    const entry = fresh(record, from)
    const turns = turnsBefore.get(offset)
    turnsBefore.delete(offset)
    if (doneBefore.delete(offset)) entry.state = 'done'
    entry.suspect = begunBefore.delete(offset)
    entry.turns = turns?.turns ?? 0
    entry.due = Math.max(entry.due, turns?.due ?? 0)
    entry.holdsKey = turns?.due !== undefined
    unmarked = Math.max(unmarked, entry.distance + 1)
    return entry
  }

  /** Records that were not fetched up to here are gone from the log; told once more, they would be taken for others that come behind them. */
  function forgetBelow(offset: bigint): void {
    for (const notes of [doneBefore, begunBefore]) for (const each of notes) if (each < offset) notes.delete(each)
    for (const each of turnsBefore.keys()) if (each < offset) turned -= Number(turnsBefore.delete(each))
  }

  return {
    get next() {
      return next
    },
    get waiting() {
      return waiting
    },
    get inHand() {
      return inHand
    },
    get version() {
      return version
    },

    add(record) {
      if (record.offset < next) return
      if (record.offset > next) forgetBelow(record.offset)
      next = record.offset + 1n
      const entry = doneBefore.size + begunBefore.size + turnsBefore.size > 0 ? noted(record) : fresh(record, from)
      if (entry.state === 'done' && entries.length === 0) return
      entries.push(entry)
      if (entry.state === 'waiting') waiting++
    },

    fetchedTo(offset) {
      if (offset <= next) return
      next = offset
      forgetBelow(offset)
      version++
    },

    firstNow(now) {
      let first: Entry<T> | undefined
      visitEligible(now, (entry) => {
        first = entry
        return false
      })
      return first && (first.suspect ? 'suspect' : 'other')
    },

    take(max, now) {
      const handed: Handed<T>[] = []
      if (max <= 0) return handed
      visitEligible(now, (entry) => {
        if (entry.suspect && handed.length > 0) return false
        handed.push(hand(entry))
        return handed.length < max && !entry.suspect
      })
      if (handed.length > 0) version++
      return handed
    },

    complete(offset) {
      const entry = inHandAt(offset)
      if (!entry) return
      setTurns(entry, 0)
      entry.state = 'done'
      inHand--
      version++
    },

    release(offset) {
      const entry = inHandAt(offset)
      if (!entry) return
      // The turn of a suspect was told when it was handed out.
      if (entry.suspect) setTurns(entry, entry.turns - 1)
      putBack(entry)
    },

    retry(offset, due) {
      const entry = inHandAt(offset)
      if (!entry || (entry.turns === 0 && turned >= notedTurns)) return entry === undefined
      if (!entry.suspect) setTurns(entry, entry.turns + 1)
      entry.suspect = false
      entry.due = due
      entry.holdsKey = true
      putBack(entry)
      return true
    },

    ripensAt() {
      let first = Number.POSITIVE_INFINITY
      for (const { state, due } of entries) if (state === 'waiting' && due > 0 && due < first) first = due
      return first
    },

    commit(parting) {
      const at = floor()
      const base = Number(at - from)
      let entriesDone = 0
      const [done, begun, turns]: [Range[], Range[], TurnNote[]] = [[], [], []]
      for (const entry of entries) {
        if (entry.distance >= unmarked) break
        if (entry.state === 'done') {
          addRange(done, entry.distance - base, entry.length)
          entriesDone++
        }
        if (isBegun(entry, parting)) addRange(begun, entry.distance - base, 1)
        const turned = turnNote(entry, parting)
        if (turned) turns.push(turned)
      }
      if (entriesDone > done.length) joinDone()
      // What is remembered of records that were committed about and not fetched again yet stays remembered.
      for (const offset of doneBefore) addRange(done, Number(offset - at), 1)
      for (const offset of begunBefore) addRange(begun, Number(offset - at), 1)
      turns.push(...turnsBefore.values())
      return { offset: at, metadata: writeNotes(at, { done, begun, turns }) }
    },
  }
}
