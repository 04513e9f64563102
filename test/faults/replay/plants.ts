import { DatabaseSync } from 'node:sqlite'
import { hasCode, RedriveError } from '../../../src/core/errors.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import type { Writes } from '../../../src/vault/operations/operations.ts'
import type { SendOutcome } from '../../../src/vault/operations/outcomes.ts'
import type { InputOf, Vault } from '../../../src/vault/vault.ts'

/** Mistakes that a control plane could make, each of which the observers must find. */
export const replayPlants = ['sends-claims-again', 'records-before-it-sends'] as const
export type ReplayPlant = (typeof replayPlants)[number] | 'takes-silence-for-absence'

/** "It was only claimed, so it cannot have been sent." */
export function sendClaimsAgain(file: string): void {
  const db = new DatabaseSync(file)
  db.exec(`
    UPDATE replay_counts SET letters = letters + (SELECT count(*) FROM replay_letters WHERE state = 'claimed') WHERE state = 'planned';
    UPDATE replay_counts SET letters = 0 WHERE state = 'claimed';
    UPDATE replay_letters SET state = 'planned' WHERE state = 'claimed'`)
  db.close()
}

/** "It will arrive: what is claimed may as well be called sent." */
export function recordingBeforeSending(vault: Vault): Vault {
  const write = async (name: string, input: never): Promise<unknown> => {
    if (name !== 'advanceReplay') return vault.write(name as never, input)
    const turn: InputOf<Writes['advanceReplay']> = input
    const advance = await vault.write(name, { ...turn, outcomes: [] })
    const outcomes: SendOutcome[] = advance.claimed.map(({ seq, letter }) => ({ seq, letter, outcome: 'sent' }))
    if (outcomes.length > 0) await vault.write(name, { ...turn, outcomes, most: 0 })
    return advance
  }
  return { ...vault, write: write as Vault['write'] }
}

/** "It was not confirmed, so it is not there." */
export function takingSilenceForAbsence(transport: Transport): Transport {
  return {
    ...transport,
    send: (...sent) =>
      transport.send(...sent).catch((error) => {
        throw hasCode(error, 'unsure') ? new RedriveError('unreachable', 'The connection was lost.') : error
      }),
  }
}
