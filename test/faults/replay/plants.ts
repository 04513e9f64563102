import { DatabaseSync } from 'node:sqlite'
import type { SendOutcome } from '../../../src/vault/operations/outcomes.ts'
import type { Vault } from '../../../src/vault/vault.ts'

/** Mistakes that a control plane could make, each of which the observers must find. */
export const replayPlants = ['sends-claims-again', 'records-before-it-sends'] as const
export type ReplayPlant = (typeof replayPlants)[number]

/** "It was only claimed, so it cannot have been sent." */
export function sendClaimsAgain(file: string): void {
  const db = new DatabaseSync(file)
  db.exec(`
    UPDATE replay_counts SET letters = letters + (SELECT count(*) FROM replay_letters WHERE state = 'claimed') WHERE state = 'planned';
    UPDATE replay_counts SET letters = 0 WHERE state = 'claimed';
    UPDATE replay_letters SET state = 'planned' WHERE state = 'claimed'`)
  db.close()
}

/** "One transaction less." */
export function recordingBeforeSending(vault: Vault): Vault {
  const write = async (name: string, input: never): Promise<unknown> => {
    if (name === 'recordSends') return undefined
    const output = await vault.write(name as never, input)
    if (name !== 'claimLetters') return output
    const claimed = output as unknown as readonly { readonly seq: number; readonly letter: number }[]
    const { replay, now } = input as { readonly replay: number; readonly now: number }
    const outcomes: SendOutcome[] = claimed.map(({ seq, letter }) => ({ seq, letter, outcome: 'sent' }))
    await vault.write('recordSends', { replay, now, outcomes })
    return output
  }
  return { ...vault, write: write as Vault['write'] }
}
