import { createChore } from '../../core/chore.ts'
import type { Clock } from '../../core/ports.ts'
import type { Vault } from '../../vault/vault.ts'
import type { Change } from '../control-plane.ts'
import { newestLetter } from '../newest-letter.ts'
import type { Runner } from '../replay/runner.ts'
import { createAbandoned } from './abandoned.ts'

/**
 * For the one that works, while others serve and collect: finds what they were asked for, and what they collected. They tell of it, and what they tell may be lost, so that it looks for
 * itself as well.
 */
export interface Lookout {
  start(): void
  heard(change: Change): void
  stop(): Promise<void>
}

export interface LookoutOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly runner: Runner
  /** Of this source, or of nobody knows which. */
  readonly lettersCame: (source?: number) => Promise<void>
  /** Sends back what waits for a channel that has recovered. */
  readonly recover: () => void
  /** Moves letters on to the causes that people said they belong to, where whoever was asked for that died. */
  readonly settle: () => void
  readonly problem: (source: string) => (error: unknown) => void
}

const lookEvery = 3000

export function createLookout({ vault, clock, runner, lettersCame, recover, settle, problem }: LookoutOptions): Lookout {
  const abandoned = createAbandoned(clock)
  let newest = 0
  let looking: Promise<void> = Promise.resolve()

  /** Those that somebody makes, starts or cancels at this moment are theirs, until they stand still. */
  async function findReplays(): Promise<void> {
    const inSteps = await vault.read('stepsUnderWay', undefined)
    const theirs = abandoned.among(inSteps)
    const unfinished = await vault.read('unfinishedReplays', undefined)
    for (const replay of unfinished) {
      if (!runner.has(replay) && !theirs.has(replay)) runner.run(replay)
    }
  }

  async function findLetters(): Promise<void> {
    const found = await newestLetter(vault)
    if (found > newest) await lettersCame()
    newest = Math.max(found, newest)
  }

  async function look(): Promise<void> {
    await findReplays()
    await findLetters()
    if ((await vault.read('pendingRecoveries', undefined)).length > 0) recover()
    if ((await vault.read('unsettledDecisions', undefined)).length > 0) settle()
  }

  /** One look at a time; what is told meanwhile is worth another one. */
  function next(work: () => Promise<void>): Promise<void> {
    looking = looking.then(work).catch(problem('what others were asked for'))
    return looking
  }

  const chore = createChore({ clock, every: lookEvery, work: () => next(look), onFailure: () => {} })

  return {
    start: chore.start,
    heard(change) {
      if (change.kind === 'replay' && runner.has(change.replay)) runner.wake(change.replay)
      else if (change.kind === 'replay') void next(findReplays)
      if (change.kind === 'consumer') void next(look)
      if (change.kind === 'letters') void next(() => lettersCame(change.source))
    },
    async stop() {
      await chore.stop()
      await looking
    },
  }
}
