import { RedriveError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { type Draft, stepSize } from '../../vault/operations/seal-replay.ts'
import type { PlannedLetter } from '../../vault/replay-rows.ts'
import type { Vault } from '../../vault/vault.ts'

/** Making, starting and cancelling replays of any size: each step is a transaction of its own, and may be the last one before a crash. */
export interface InSteps {
  readonly vault: Vault
  readonly clock: Clock
  /** Something of it has happened. */
  readonly onStep?: (replay: number) => void
}

/** Freezes a plan that comes in steps, with edits of some of its letters; tells its number. One that could not be finished is given up. */
export async function sealInSteps(
  { vault, clock, onStep }: InSteps,
  draft: Omit<Draft, 'now'>,
  steps: Iterable<readonly PlannedLetter[]>,
  edits: ReadonlyMap<number, number> = new Map(),
): Promise<number> {
  let id: number | undefined
  for (const step of steps) {
    id ??= (await vault.write('draftReplay', { ...draft, now: clock.now() })).id
    const letters = step.map((line) => {
      const edit = edits.get(line.letter)
      return edit === undefined ? line : { ...line, edit }
    })
    await vault.write('addToReplay', { replay: id, now: clock.now(), letters })
    onStep?.(id)
  }
  if (id === undefined) throw new RedriveError('nothing-to-do', 'No letter of this selection can be replayed.')
  await vault.write('sealReplay', { replay: id, now: clock.now() })
  return id
}

/** Refuses what is not what was sealed. */
export async function checkSealInSteps(vault: Vault, replay: number): Promise<void> {
  const { seal: sealed } = await vault.read('showReplay', { replay })
  let seal: string | undefined
  for (let from = 0, lines = stepSize; lines === stepSize; from += stepSize) {
    const step = await vault.read('checkSeal', { replay, from, ...(seal !== undefined && { seal }) })
    seal = step.seal
    lines = step.lines
  }
  if (seal !== sealed) throw new RedriveError('seal-broken', `Replay ${replay} is not what was sealed. Make a new one.`)
}

/** Goes on with a start that was begun. */
export async function takeInSteps({ vault, clock, onStep }: InSteps, replay: number): Promise<void> {
  for (let isOver = false; !isOver; onStep?.(replay)) {
    isOver = (await vault.write('takeLetters', { replay, now: clock.now() })).isOver
  }
}

/** Goes on with a cancellation that was begun. */
export async function releaseInSteps({ vault, clock, onStep }: InSteps, replay: number): Promise<void> {
  for (let isOver = false; !isOver; onStep?.(replay)) {
    isOver = (await vault.write('releaseLetters', { replay, now: clock.now() })).isOver
  }
}

/** A control plane died, or lost its disk, in the middle of it: what was begun is finished, and what nobody can finish is given up. */
export async function finishSteps(steps: InSteps, replay: number): Promise<void> {
  const { vault, clock } = steps
  const { state } = await vault.read('showReplay', { replay })
  if (state === 'sealing') {
    const because = 'the control plane ended while it was being made'
    await vault.write('beginCancel', { replay, now: clock.now(), because })
  }
  if (state === 'starting') await takeInSteps(steps, replay)
  if (state === 'sealing' || state === 'cancelling') await releaseInSteps(steps, replay)
}
