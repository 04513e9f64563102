import type { Destination } from '../replay-rows.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { createTally, type Tally } from '../tally.ts'
import { countMoved } from './ledger-counts.ts'
import { changeState } from './letter-changes.ts'

export interface SendOutcome {
  readonly seq: number
  readonly letter: number
  /**
   * `refused`: it certainly was not written and would not be the next time, so the letter is open again. `unsent`: nobody was there to take it, so it
   * keeps its place in the plan. `unknown`: a person has to look.
   */
  readonly outcome: 'sent' | 'refused' | 'unsent' | 'unknown'
  readonly problem?: string
  /** The broker's own copy was taken away. */
  readonly removed?: boolean
}

const ledgerAfter = { sent: 'sent', refused: 'refused', unsent: 'planned', unknown: 'unknown' } as const
const letterAfter = { sent: 'sent', refused: 'open', unsent: 'replaying', unknown: 'unknown' } as const

export interface Recording {
  readonly replay: number
  readonly now: number
  readonly outcomes: readonly SendOutcome[]
}

/** Those that went alike are written together. One that came back before we could note that it was sent has its outcome already. */
export async function recordSends(sql: Sql, { replay, now, outcomes }: Recording): Promise<void> {
  if (outcomes.length === 0) return
  const tally = createTally()
  await forgetCopies(sql, outcomes)
  for (const group of Map.groupBy(outcomes, ({ outcome, problem = '' }) => `${outcome} ${problem}`).values()) {
    const [{ outcome, problem } = { outcome: 'unknown' as const }] = group
    const { places, values } = listOf(group.map(({ seq }) => seq))
    const state = ledgerAfter[outcome]
    const sentAt = outcome === 'sent' ? now : null
    const lines = await sql.all<Line>(recordSend(places), state, now, sentAt, problem ?? null, replay, ...values)
    const letters = lines.map(({ letter }) => letter)
    await changeState(sql, tally, letters, { from: 'replaying', to: letterAfter[outcome], now })
    await countMoved(sql, replay, 'claimed', state, lines.length)
    if (outcome === 'refused' || outcome === 'unknown') {
      for (const line of lines) await leaveBehind(sql, tally, { replay, now, ...line })
    }
  }
  await tally.write(sql)
}

interface Line {
  readonly seq: number
  readonly letter: number
  readonly destination: string
}

function recordSend(places: string): string {
  return `UPDATE replay_letters SET state = ?, at = ?, sent_at = ?, problem = ?
    WHERE replay = ? AND seq IN ${places} AND state = 'claimed' RETURNING seq, letter, destination`
}

async function forgetCopies(sql: Sql, outcomes: readonly SendOutcome[]): Promise<void> {
  const letters = outcomes.filter(({ removed }) => removed).map(({ letter }) => letter)
  if (letters.length === 0) return
  const { places, values } = listOf(letters)
  await sql.run(`UPDATE letters SET broker = 'gone' WHERE id IN ${places}`, ...values)
}

/** Letters of one key go in order: those behind one that did not arrive would overtake it, and are open again. */
async function leaveBehind(
  sql: Sql,
  tally: Tally,
  { replay, seq, letter, destination, now }: Line & { readonly replay: number; readonly now: number },
): Promise<void> {
  const found = await sql.get<{ key: string | null }>('SELECT key FROM letters WHERE id = ?', letter)
  if (!found || found.key === null) return
  const keyed = sql.dialect.isText('key', found.key)
  const rows = await sql.all<{ letter: number }>(leaveLines(keyed.text), now, replay, seq, destination, ...keyed.values)
  const letters = rows.map((row) => row.letter)
  await changeState(sql, tally, letters, { from: 'replaying', to: 'open', now })
  await countMoved(sql, replay, 'planned', 'refused', letters.length)
}

/** `+` keeps the planner from going through every line of the plan: there are few letters of a key. */
const leaveLines = (isKeyed: string): string => `
  UPDATE replay_letters SET state = 'refused', at = ?, problem = 'behind-unsent'
  WHERE +replay = ? AND state = 'planned' AND seq > ? AND destination = ?
    AND letter IN (SELECT id FROM letters WHERE ${isKeyed})
  RETURNING letter`

/** Where letters went of which no outcome is known yet. */
export const awaitedDestinations: Operation<{ readonly replay: number }, readonly Destination[]> = async (sql, { replay }) => {
  const rows = await sql.all<{ destination: string }>(
    "SELECT DISTINCT destination FROM replay_letters WHERE replay = ? AND state = 'sent'",
    replay,
  )
  return rows.map(({ destination }) => JSON.parse(destination) as Destination)
}

interface SentThere {
  readonly replay: number
  readonly destination: Destination
  readonly now: number
  readonly most: number
}

export interface Assumption extends SentThere {
  readonly sentBefore: number
}

/** What was sent long enough ago and has not come back is taken to have succeeded, and is called so. */
export const assumeSuccess: Operation<Assumption, { readonly assumed: number }> = async (sql, assumption) => ({
  assumed: await concludeSent(sql, { ...assumption, state: 'assumed', problem: null }),
})

/** Where it went there is nothing any more, and nobody will hear of it: a person has to look. */
export const doubtSent: Operation<SentThere, { readonly doubted: number }> = async (sql, doubt) => ({
  doubted: await concludeSent(sql, { ...doubt, sentBefore: doubt.now, state: 'unknown', problem: 'channel-gone' }),
})

interface Conclusion extends Assumption {
  readonly state: 'assumed' | 'unknown'
  readonly problem: string | null
}

async function concludeSent(
  sql: Sql,
  { replay, destination, sentBefore, now, most, state, problem }: Conclusion,
): Promise<number> {
  const rows = await sql.all<{ letter: number }>(
    `UPDATE replay_letters SET state = ?, at = ?, problem = ? WHERE replay = ? AND seq IN (
       SELECT seq FROM replay_letters WHERE replay = ? AND state = 'sent' AND sent_at <= ? AND destination = ? LIMIT ?
     ) RETURNING letter`,
    ...[state, now, problem, replay, replay],
    sentBefore,
    JSON.stringify(destination),
    most,
  )
  const tally = createTally()
  const letters = rows.map(({ letter }) => letter)
  await changeState(sql, tally, letters, { from: 'sent', to: state, now })
  await tally.write(sql)
  await countMoved(sql, replay, 'sent', state, rows.length)
  return rows.length
}
