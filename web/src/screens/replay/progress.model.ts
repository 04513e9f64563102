import type { Counts, LedgerState, Replay } from '../../api/replays.ts'

export interface Part {
  readonly state: LedgerState
  readonly count: number
  /** What it means, in words that promise nothing. */
  readonly means: string
}

const meanings: readonly (readonly [state: LedgerState, means: string])[] = [
  ['succeeded', 'the consumer said that it processed them'],
  ['assumed', 'taken up, and did not come back in time; nobody reported anything'],
  ['sent', 'confirmed by the broker; what became of them is not known yet'],
  ['claimed', 'about to be sent'],
  ['planned', 'waiting'],
  ['returned', 'died again'],
  ['unknown', 'perhaps sent; a person decides'],
  ['refused', 'not sent: the broker or the plan said no'],
  ['skipped', 'somebody else was quicker'],
  ['cancelled', 'not sent, open again'],
]

/** All of them, always: a 0 is an answer, and nothing moves when it becomes another number. */
export function partsOf(counts: Counts): readonly Part[] {
  return meanings.map(([state, means]) => ({ state, means, count: counts[state] }))
}

/** What a person can tell a replay in each state. */
export const verbsOf: Readonly<Record<Replay['state'], readonly ('start' | 'pause' | 'resume' | 'cancel')[]>> = {
  sealing: [],
  sealed: ['start', 'cancel'],
  scheduled: ['start', 'cancel'],
  missed: ['start', 'cancel'],
  starting: [],
  running: ['pause', 'cancel'],
  paused: ['resume', 'cancel'],
  stopped: ['resume', 'cancel'],
  done: [],
  cancelling: [],
  cancelled: [],
}

/** Nothing of it has happened yet. */
export const startableStates: readonly Replay['state'][] = ['sealed', 'scheduled', 'missed']

/** How it went, in one sentence. */
export function outcomeText({ state, stoppedBecause, letters, startsAt }: Replay, counts: Counts): string {
  const arrived = counts.succeeded + counts.assumed
  switch (state) {
    case 'sealing':
      return 'Its letters are being written down.'
    case 'starting':
      return 'Its letters are being taken for it.'
    case 'cancelling':
      return 'What was not sent is being given back.'
    case 'sealed':
      return 'Nothing is sent before it is started.'
    case 'scheduled':
      return `It is started ${startText(startsAt)}, by itself. What it sends is what was sealed.`
    case 'missed':
      return `It was not started ${startText(startsAt)}: ${stoppedBecause ?? 'nobody knows why'}. Start it now, give it another time, or cancel it.`
    case 'running':
      return `${arrived} of ${letters} are through.`
    case 'paused':
      return 'Paused: nothing more is sent; what is on its way is watched.'
    case 'stopped':
      return `It stopped by itself: ${stoppedBecause ?? 'for a reason that was not written down'}. Look at what returned and mend it, then resume; cancelled, the rest is open again.`
    case 'cancelled':
      return 'Cancelled: what was not sent is open again.'
    case 'done':
      return counts.returned + counts.unknown + counts.refused === 0
        ? `All ${arrived} are through.`
        : `${arrived} are through, ${counts.returned} died again, ${counts.unknown} are unknown, ${counts.refused} were refused.`
  }
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

function startText(at: number | null): string {
  return at === null ? 'at its time' : `on ${exact.format(at)}`
}

export const failureStates: readonly LedgerState[] = ['returned', 'unknown', 'refused']
