import { type Chore, createChore } from '../../core/chore.ts'
import { formatDuration } from '../../core/duration.ts'
import { hasCode, RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import type { DueReplay } from '../../vault/operations/schedule-replay.ts'
import type { Vault } from '../../vault/vault.ts'
import { noted } from '../noted.ts'
import type { ScheduledReplays } from './replays.ts'

export interface ScheduleOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly replays: Pick<ScheduledReplays, 'startDue'>
  /** A replay of more letters is started by a second person. */
  readonly mostAlone: number
  /** Whether somebody may be that second person, at this moment. */
  readonly mayApprove: (actor: string) => Promise<boolean>
  /** It did not start, and waits for a person. */
  readonly onMissed: (replay: number) => void
  readonly problem: (source: string) => (error: unknown) => void
}

const lookEvery = 1000
/** A start that comes later than that may surprise whoever chose the time: then a person decides. Milliseconds. */
export const latestStart: number = 15 * 60_000

/**
 * Starts replays when their time has come. That one has been started is a change of its state, in a transaction: whoever is killed before that leaves it
 * to the next one, and whoever is killed after it has started it, once.
 */
export function createSchedule({ vault, clock, replays, mostAlone, mayApprove, onMissed, problem }: ScheduleOptions): Chore {
  async function look(): Promise<void> {
    for (const due of await vault.read('dueReplays', { now: clock.now() })) {
      await begin(due).catch((error: unknown) => problem(`replay ${due.replay}`)(error))
    }
  }

  /** Late means that nothing ran, or that the vault could not be written. */
  async function begin(due: DueReplay): Promise<void> {
    const late = clock.now() - due.startsAt
    if (late > latestStart) return miss(due, `nothing ran at its time, and it would have started ${formatDuration(late)} late`)
    const objection = await objectionTo(due)
    if (objection !== undefined) return miss(due, objection)
    const work = () => replays.startDue(due.replay)
    await noted(vault, clock, entryOf(due, 'replays.start'), work).catch((error: unknown) => refused(due, error))
  }

  /** Whoever gave it its time has approved it: that holds if it would hold now. */
  async function objectionTo({ replay, scheduledBy }: DueReplay): Promise<string | undefined> {
    const { letters, actor } = await vault.read('showReplay', { replay })
    if (letters <= mostAlone) return undefined
    if (actor === scheduledBy) return 'a second person has to start it, and only its maker gave it a time'
    if (!(await mayApprove(scheduledBy))) return 'whoever approved it may not do that any more'
    return undefined
  }

  /** What was changed since it was sealed is not sent, and would be looked at again every second. */
  async function refused(due: DueReplay, error: unknown): Promise<void> {
    if (hasCode(error, 'seal-broken')) await miss(due, 'it is not what was sealed any more')
    throw error
  }

  async function miss(due: DueReplay, because: string): Promise<void> {
    const work = () => vault.write('missReplay', { replay: due.replay, now: clock.now(), because })
    await noted(vault, clock, entryOf(due, 'replays.miss'), work)
    onMissed(due.replay)
    throw new RedriveError('not-running', `Replay ${due.replay} missed its time.`)
  }

  return createChore({ clock, every: lookEvery, work: look, onFailure: problem('scheduled replays') })
}

/** In the name of whoever gave it the time. */
function entryOf({ replay, startsAt, scheduledBy }: DueReplay, action: string): Parameters<typeof noted>[2] {
  return {
    actor: scheduledBy,
    address: '',
    action,
    object: `/replays/${replay}`,
    detail: JSON.stringify({ scheduledFor: startsAt }),
  }
}
