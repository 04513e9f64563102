import { type Chore, createChore } from '../core/chore.ts'
import type { Clock } from '../core/ports.ts'
import type { KnownSource } from '../vault/operations/sources.ts'
import type { Vault } from '../vault/vault.ts'
import type { Changes } from './changes.ts'
import { checkConservation } from './conservation.ts'
import type { RecordRules } from './forget-records.ts'
import { type Retention, sweep } from './retention.ts'
import { type ConfiguredSource, isThe } from './sources.ts'

export interface UpkeepOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly sources: readonly ConfiguredSource[]
  readonly retention: Retention & RecordRules
  readonly changes: Changes
}

const sweepEvery = 3_600_000
const balanceEvery = 60_000

/** What a vault needs while nobody looks: old letters go, and every letter is accounted for. */
export function createUpkeep({ vault, clock, sources, retention, changes }: UpkeepOptions): Chore {
  const { tell, problem } = changes
  let isBalanced = true

  async function sweepOld(): Promise<void> {
    const ofSource = (known: KnownSource): Retention | undefined => sources.find(isThe(known))?.retention
    const { expired, purged } = await sweep({ ...retention, ofSource }, vault, clock)
    if (expired + purged > 0) tell({ kind: 'letters', letters: expired + purged })
  }

  /** Told when it changes, and not every minute: whoever comes later asks. */
  async function balance(): Promise<void> {
    const { holds } = await checkConservation(vault, clock)
    if (holds !== isBalanced) tell({ kind: 'conservation', holds })
    isBalanced = holds
  }

  const chores = [
    createChore({ clock, every: sweepEvery, work: sweepOld, onFailure: problem('retention') }),
    createChore({ clock, every: balanceEvery, work: balance, onFailure: problem('conservation') }),
  ]
  return {
    start() {
      for (const chore of chores) chore.start()
    },
    async stop() {
      await Promise.all(chores.map((chore) => chore.stop()))
    },
  }
}
