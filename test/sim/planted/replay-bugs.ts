import type { DatabaseSync } from 'node:sqlite'
import { hasCode, RedriveError } from '../../../src/core/errors.ts'
import type { Receipt } from '../../../src/transports/seam.ts'
import type { Writes } from '../../../src/vault/operations/operations.ts'
import type { SendOutcome } from '../../../src/vault/operations/outcomes.ts'
import type { InputOf, OutputOf, Vault } from '../../../src/vault/vault.ts'
import type { ReplayPlant } from '../replay/simulate-replay.ts'

type Turn = InputOf<Writes['advanceReplay']>
type Advance = OutputOf<Writes['advanceReplay']>

/** Mistakes that a control plane could make when it sends letters back. */
export const replayBugs: Readonly<Record<string, ReplayPlant>> = {
  'calls a letter sent before it is': advancing(async (vault, turn) => {
    const advance = await vault.write('advanceReplay', { ...turn, outcomes: [] })
    const outcomes: SendOutcome[] = advance.claimed.map(({ seq, letter }) => ({ seq, letter, outcome: 'sent' }))
    await vault.write('advanceReplay', { ...turn, outcomes, most: 0 })
    return advance
  }),
  'sends again what a dead control plane had claimed': writing('doubtClaims', (vault, { replay, now }, db) => {
    db.exec(`
      UPDATE replay_counts SET letters = letters + (SELECT count(*) FROM replay_letters WHERE replay = ${replay} AND state = 'claimed')
        WHERE replay = ${replay} AND state = 'planned';
      UPDATE replay_counts SET letters = 0 WHERE replay = ${replay} AND state = 'claimed';
      UPDATE replay_letters SET state = 'planned' WHERE replay = ${replay} AND state = 'claimed'`)
    return vault.write('doubtClaims', { replay, now })
  }),
  'takes letters that another replay has': writing('takeLetters', (vault, { replay, now }, db) => {
    db.exec(`
      UPDATE letters SET state = 'open' WHERE state = 'replaying' AND id IN (SELECT letter FROM replay_letters WHERE replay = ${replay});
      DELETE FROM tallies;
      INSERT INTO tallies SELECT source, state, count(*) FROM letters GROUP BY source, state`)
    return vault.write('takeLetters', { replay, now })
  }),
  'takes a send that was not confirmed for one that was not made': failing((error) => {
    throw hasCode(error, 'unsure') ? new RedriveError('unreachable', 'Nobody answered.') : error
  }),
  'takes a send that was not confirmed for one that was': failing((error) => {
    if (hasCode(error, 'unsure')) return { duplicate: false }
    throw error
  }),
  'does not know a letter that comes back': writing('ingest', (vault, batch) =>
    vault.write('ingest', { ...batch, arrivals: batch.arrivals.map(({ replay: _, ...arrival }) => arrival) }),
  ),
  'lets all letters go at once whatever becomes of the first': writing('draftReplay', (vault, draft) =>
    vault.write('draftReplay', { ...draft, plan: { ...draft.plan, canary: null } }),
  ),
  'sends letters of one key beside each other': advancing(async (vault, turn) => {
    const advance = await vault.write('advanceReplay', turn)
    return { ...advance, claimed: advance.claimed.map((letter) => ({ ...letter, key: null })) }
  }),
  'takes a full queue for an empty one': {
    transport: (sound) => ({ ...sound, measure: async () => ({ retained: 0, pending: 0 }) }),
  },
  'opens a letter again whose send was not confirmed': failing((error) => {
    throw hasCode(error, 'unsure') ? new RedriveError('refused', 'Nobody answered.') : error
  }),
}

function writing<Name extends keyof Writes>(
  planted: Name,
  twist: (vault: Vault, input: InputOf<Writes[Name]>, db: DatabaseSync) => Promise<OutputOf<Writes[Name]>>,
): ReplayPlant {
  return {
    vault: (sound, db) => ({
      ...sound,
      write: ((name: string, input: never) =>
        name === planted ? twist(sound, input, db) : sound.write(name as never, input)) as Vault['write'],
    }),
  }
}

/** Makes something else of a send that failed. */
function failing(twist: (error: unknown) => Receipt): ReplayPlant {
  return { transport: (sound) => ({ ...sound, send: (...sent) => sound.send(...sent).catch(twist) }) }
}

function advancing(twist: (vault: Vault, turn: Turn) => Promise<Advance>): ReplayPlant {
  return writing('advanceReplay', twist)
}
