import type { Cancel, Clock } from '../../core/ports.ts'

/**
 * Rhea, the AMQP library under the SDK, writes what was decided in one turn of the event loop together, and merges two neighbours whose
 * outcomes differ into one of the first one's: a message that was to be abandoned beside one that was completed would be completed too,
 * and lost. So one turn holds outcomes of one kind; and those that have something of their own to say are written from the last delivery
 * to the first, because only what follows upon its neighbour is merged with it.
 */
export interface DispositionPace {
  /** Calls `start` when its turn has come, which may be at once. By a callback that never throws: it is the path of every message. */
  run(disposition: Disposition, start: () => void): void
}

export interface Disposition {
  /** Completions are all the same, and may be merged. */
  readonly kind: 'complete' | 'reject' | 'abandon'
  /** The id of the delivery on its link. */
  readonly delivery: number
}

/**
 * Messages that come one by one would be completed so, and each of these frames is work for both ends, and so is its answer. So while
 * messages come, completions that follow closely upon others wait for more of them, for a moment.
 */
export interface Gathering {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>
  /** How many messages have come by the link. */
  arrived(): number
}

interface Waiting extends Disposition {
  readonly start: () => void
}

/** Milliseconds. */
const aMoment = 1
/** So many need not wait for others. */
const many = 50

export function createDispositionPace(clock: Pick<Clock, 'soon'>, gathering?: Gathering): DispositionPace {
  let waiting: Waiting[] = []
  let turn: 'free' | 'completions' | 'taken' = 'free'
  let lastCompletions = { at: Number.NEGATIVE_INFINITY, arrived: 0 }
  let stopGathering: Cancel | undefined

  /** A completion need not wait for others unless it is to; anything else waits for those that come in the same turn. */
  function add(one: Waiting): void {
    const isCompletion = one.kind === 'complete'
    if (isCompletion && waiting.length === 0 && mayBegin()) {
      begin([one])
      return
    }
    waiting.push(one)
    if (turn !== 'free') return
    if (!isCompletion) schedule('taken')
    else if (waiting.length >= many) nextTurn()
    else stopGathering ??= gathering?.clock.after(aMoment, nextTurn)
  }

  function mayBegin(): boolean {
    if (turn === 'taken') return false
    return turn === 'completions' || !gathering || !areManySoon(gathering)
  }

  function areManySoon(link: Gathering): boolean {
    return link.arrived() > lastCompletions.arrived && link.clock.monotonic() < lastCompletions.at + aMoment
  }

  function schedule(next: typeof turn): void {
    if (turn === 'free') clock.soon(nextTurn)
    turn = next
  }

  function begin(together: readonly Waiting[]): void {
    const areCompletions = together[0]?.kind === 'complete'
    if (areCompletions && turn === 'free' && gathering)
      lastCompletions = { at: gathering.clock.monotonic(), arrived: gathering.arrived() }
    schedule(areCompletions ? 'completions' : 'taken')
    for (const { start } of together) start()
  }

  /** Those in front that are of one kind: nobody overtakes who waits. */
  function nextTurn(): void {
    stopGathering?.()
    stopGathering = undefined
    turn = 'free'
    const [first] = waiting
    if (!first) return
    const end = waiting.findIndex(({ kind }) => kind !== first.kind)
    const together = waiting.slice(0, end < 0 ? waiting.length : end)
    waiting = waiting.slice(together.length)
    begin(first.kind === 'complete' ? together : together.toSorted((one, other) => other.delivery - one.delivery))
  }

  return {
    run({ kind, delivery }, start) {
      add({ kind, delivery, start })
    },
  }
}
