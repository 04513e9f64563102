import type { Message } from '../../core/message.ts'
import { recurring } from '../../core/recurring.ts'
import { type Deque, deque } from './deque.ts'
import type { Claimant, Entry, Lane } from './entry.ts'

/** The order in which a channel's entries are on offer: single entries and lanes in one queue, so that neither starves the other. */
export interface Line {
  /** The lane that a new message belongs to, if any; the message counts as a member until it leaves. */
  join(message: Message): Lane | undefined
  /** Puts an entry on offer: at the tail, or in its place within its lane. */
  enter(entry: Entry): void
  /** Gives an entry that was taken from the line its place back. */
  comeBack(entry: Entry): void
  /** Lets an entry that was taken wait for its time; in a lane, those behind it wait too. */
  delay(entry: Entry): void
  /** The time of a delayed entry has come. */
  resume(entry: Entry): void
  /** The entry is gone for good. */
  leave(entry: Entry): void
  /** Takes the next entry that this claimant may have. */
  next(claimant: Claimant): Entry | undefined
  /** The entry is no longer held: call it after saying where the entry went. */
  letGo(entry: Entry): void
}

export function line(keepsLanes: boolean): Line {
  const ready: Deque<Entry | Lane> = deque()
  const lanes = recurring(emptyLane, ({ members }) => members === 0)

  function offer(lane: Lane, first = false): void {
    if (headOf(lane)?.state !== 'ready') return
    const queue = lane.owner?.lanes ?? ready
    if (lane.offeredIn === queue && !first) return
    lane.offeredIn = queue
    if (first) queue.pushFront(lane)
    else queue.pushBack(lane)
  }

  function pull(queue: Deque<Entry | Lane>, claimant: Claimant): Entry | undefined {
    for (let item = queue.popFront(); item !== undefined; item = queue.popFront()) {
      const entry = item.kind === 'entry' ? item : headFor(item, queue, claimant)
      if (entry?.state === 'ready') return entry
    }
    return undefined
  }

  function headFor(lane: Lane, queue: Deque<Entry | Lane>, claimant: Claimant): Entry | undefined {
    if (lane.offeredIn !== queue || (lane.owner !== undefined && lane.owner !== claimant)) return undefined
    lane.offeredIn = undefined
    const head = headOf(lane)
    if (head?.state !== 'ready') return undefined
    lane.waiting.popFront()
    lane.owner = claimant
    lane.held++
    offer(lane)
    return head
  }

  return {
    join(message) {
      if (!keepsLanes || message.key === undefined) return undefined
      const lane = lanes.obtain(laneName(message.key))
      lane.members++
      return lane
    },
    enter(entry) {
      entry.state = 'ready'
      if (entry.lane === undefined) return ready.pushBack(entry)
      takePlace(entry.lane, entry)
      offer(entry.lane)
    },
    comeBack(entry) {
      entry.state = 'ready'
      if (entry.lane === undefined) return ready.pushFront(entry)
      takePlace(entry.lane, entry)
      offer(entry.lane, true)
    },
    delay(entry) {
      entry.state = 'delayed'
      if (entry.lane !== undefined) takePlace(entry.lane, entry)
    },
    resume(entry) {
      entry.state = 'ready'
      if (entry.lane === undefined) ready.pushBack(entry)
      else offer(entry.lane)
    },
    leave(entry) {
      entry.state = 'gone'
      const { lane } = entry
      if (lane === undefined) return
      if (--lane.members === 0) lanes.rested()
      else offer(lane)
    },
    next: (claimant) => pull(ready, claimant) ?? pull(claimant.lanes, claimant),
    letGo({ lane }) {
      if (lane === undefined) return
      if (--lane.held === 0) lane.owner = undefined
      offer(lane)
    },
  }
}

function emptyLane(name: string): Lane {
  return { kind: 'lane', name, waiting: deque(), members: 0, held: 0, owner: undefined, offeredIn: undefined }
}

function takePlace(lane: Lane, entry: Entry): void {
  const last = lane.waiting.back()
  if (last === undefined || last.sequence < entry.sequence) lane.waiting.pushBack(entry)
  else lane.waiting.insertAfterWhile((other) => other.sequence < entry.sequence, entry)
}

/** Entries that were removed or have expired stay in the queue until somebody comes by. */
function headOf(lane: Lane): Entry | undefined {
  while (lane.waiting.front()?.state === 'gone') lane.waiting.popFront()
  return lane.waiting.front()
}

function laneName(key: string | Uint8Array): string {
  return typeof key === 'string' ? key : `0x${Buffer.from(key).toString('hex')}`
}
