import type { Clock } from '../../core/ports.ts'

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

interface Waiting extends Disposition {
  readonly start: () => void
}

export function createDispositionPace(clock: Pick<Clock, 'soon'>): DispositionPace {
  let waiting: Waiting[] = []
  let turn: 'free' | 'completions' | 'taken' = 'free'

  /** A completion need not wait for others; anything else waits for those that come in the same turn. */
  function add(one: Waiting): void {
    const isAtOnce = one.kind === 'complete' && waiting.length === 0 && turn !== 'taken'
    if (isAtOnce) begin([one])
    else waiting.push(one)
    if (turn === 'free') schedule('taken')
  }

  function schedule(next: typeof turn): void {
    if (turn === 'free') clock.soon(nextTurn)
    turn = next
  }

  function begin(together: readonly Waiting[]): void {
    schedule(together[0]?.kind === 'complete' ? 'completions' : 'taken')
    for (const { start } of together) start()
  }

  /** Those in front that are of one kind: nobody overtakes who waits. */
  function nextTurn(): void {
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
