import type { HandlerContext } from '../context.ts'
import type { ChannelScope } from '../scope.ts'
import type { Turn } from '../turn.ts'
import { type BatchLine, createBatchLine, type LineHost, type LineSettings } from './batch-line.ts'
import { takeNeutral } from './call.ts'
import type { Member } from './member.ts'

/**
 * The batch handlers of one channel. Each message still has its own turn: it is counted, timed out, settled and dead-lettered by
 * itself. Only its handler is shared: a run of it enters a line here, and ends when the handler has said what became of it.
 */
export interface Batches {
  line(settings: LineSettings): Joining
  /** The pump says where it works, once. */
  bind(floor: BatchFloor): void
  /** Something may be able to begin. */
  look(): void
  /** Whether `next`, which stands directly behind `ahead` in its lane, may begin and come into the same batch. Told once. */
  lets(next: Turn, ahead: Turn): boolean
  /** The one ahead of it is gone. Tells whether it was begun before. */
  aheadGone(turn: Turn): boolean
  /** It is not in hand any more. */
  left(turn: Turn): void
  /** It has to go back to the broker: resolves when no call has it. */
  recall(turn: Turn): Promise<void> | undefined
  /** Its handler is stuck. Tells whether it was in company, and now runs alone. */
  split(turn: Turn): boolean
}

/** Lets the run of one message end with what its batch says; rejects with its own failure. */
export type Joining = (turn: Turn, context: HandlerContext, value: unknown, read: () => unknown) => Promise<void>

/** What batches need from the pump. */
export interface BatchFloor {
  readonly hasSlot: boolean
  readonly isStill: boolean
  slots(change: number): void
  aheadOf(turn: Turn): Turn | undefined
  /** Begins the one directly behind in the lane, if there is one and it may. */
  follow(turn: Turn): void
  startReady(): void
}

export function createBatches(scope: ChannelScope): Batches {
  const neutral = takeNeutral()
  const members = new Map<Turn, Member>()
  const lines: BatchLine[] = []
  /** Begun before the one ahead of them was gone. */
  const followers = new Set<Turn>()
  /** Have just entered: somebody may come along behind them. */
  const entered: Turn[] = []
  let floor: BatchFloor
  let isLooking = false

  const host: LineHost = {
    get hasSlot() {
      return floor.hasSlot
    },
    get isStill() {
      return floor.isStill
    },
    slots: (change) => floor.slots(change),
    aheadOf(turn) {
      const ahead = floor.aheadOf(turn)
      return ahead && (members.get(ahead) ?? ahead)
    },
    isMember: (member) => members.get(member.turn) === member,
    forget: ({ turn }) => void members.delete(turn),
    look,
  }

  /** Once for everything that happens in the same moment: a batch is formed when all that came together have entered. */
  function look(): void {
    if (isLooking) return
    isLooking = true
    void Promise.resolve().then(() => {
      isLooking = false
      goOn()
    })
  }

  function goOn(): void {
    for (let turn = entered.shift(); turn; turn = entered.shift()) floor.follow(turn)
    // Before those that are ready: a batch that is full has waited for longer than any of them.
    for (const line of lines) line.start()
    floor.startReady()
  }

  return {
    line(settings) {
      const line = createBatchLine(settings, scope, host, neutral)
      lines.push(line)
      return (turn, context, value, read) => {
        const known = members.get(turn)
        if (known || turn.over) return known?.end.promise ?? Promise.resolve()
        const end = Promise.withResolvers<void>()
        const since = scope.platform.clock.monotonic()
        const state = { value, call: undefined, answer: undefined, hasSlot: true, isRecalled: false }
        const member: Member = { line, turn, context, read, end, since, ...state }
        members.set(turn, member)
        entered.push(turn)
        turn.route.deadlines.unwatch(turn)
        line.enter(member)
        return end.promise
      }
    },
    bind(to) {
      floor = to
    },
    look,
    lets(next, ahead) {
      const member = members.get(ahead)
      if (!member || followers.has(next) || !member.line.takesBehind(member, next)) return false
      followers.add(next)
      return true
    },
    aheadGone(turn) {
      if (!followers.has(turn)) return false
      const member = members.get(turn)
      member?.line.aheadGone(member)
      return true
    },
    left(turn) {
      followers.delete(turn)
      const member = members.get(turn)
      member?.line.left(member)
    },
    recall(turn) {
      const member = members.get(turn)
      if (!member?.call) return undefined
      member.isRecalled = true
      return member.call.ended
    },
    split(turn) {
      const member = members.get(turn)
      return member?.line.split(member) ?? false
    },
  }
}
