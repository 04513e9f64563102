import type { Clock } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'

/** Brings letters to the causes that people said they belong to, behind their backs and step by step. */
export interface CauseSettler {
  /** Everything that is not where it belongs yet, also what a control plane left that died. */
  settle(): void
  /** Resolves when nothing is under way here. */
  done(): Promise<void>
  /** What is left is done by whoever comes next. */
  stop(): Promise<void>
}

export interface CauseSettlerOptions {
  readonly vault: Vault
  readonly clock: Clock
  readonly onSettled: (cause: number) => void
  readonly onFailure: (error: unknown) => void
}

/**
 * Several control planes may do this at once: each step says in the vault how far it came, and the next one goes on from there, whoever does it.
 */
export function createCauseSettler({ vault, clock, onSettled, onFailure }: CauseSettlerOptions): CauseSettler {
  let working: Promise<void> = Promise.resolve()
  let isStopped = false

  async function settleOne(decision: number): Promise<void> {
    while (!isStopped && !(await vault.write('moveLetters', { decision })).isOver) {
      // Whoever waits to write has a turn.
      await new Promise<void>((resolve) => clock.soon(resolve))
    }
    if (isStopped) return
    const { cause, target } = await vault.read('showDecision', { id: decision })
    for (const each of [cause, target]) onSettled(each)
  }

  async function settleAll(): Promise<void> {
    if (isStopped) return
    for (const decision of await vault.read('unsettledDecisions', undefined)) await settleOne(decision)
  }

  return {
    settle() {
      working = working.then(settleAll).catch(onFailure)
    },
    done: () => working,
    async stop() {
      isStopped = true
      await working
    },
  }
}
