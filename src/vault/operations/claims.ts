import { hasCode } from '../../core/errors.ts'
import type { Destination } from '../replay-rows.ts'
import { type Content, joinKeys, type KeptContent, keptColumns, openContent } from '../sealing/contents.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { createTally } from '../tally.ts'
import { editOf } from './edits.ts'
import { countMoved } from './ledger-counts.ts'
import { changeState } from './letter-changes.ts'
import { recordSends } from './outcomes.ts'
import { nameColumns } from './sources.ts'

/** What is to be sent, whole. */
export interface ClaimedLetter {
  readonly seq: number
  readonly letter: number
  /** What all generations of it have in common; drawn when it is first replayed, where nobody wrote one. */
  readonly name: string
  readonly generation: number
  readonly dialect: string
  readonly destination: Destination
  readonly key: string | null
  readonly envelope: string
  readonly body: Uint8Array | null
  /** Where the broker still has its own copy, which has to go before another one is sent. */
  readonly copy: BrokersCopy | null
}

export interface BrokersCopy {
  readonly connection: string
  readonly channel: string
  readonly part: string
  readonly group: string
  readonly position: string
}

export interface Claiming {
  readonly replay: number
  readonly most: number
  readonly now: number
  /** Nobody has used it before: letters that have no name are called so, each with its place in the plan. */
  readonly name: string
}

interface ClaimRow extends Omit<KeptContent, 'envelope'> {
  readonly seq: number
  readonly letter: number
  readonly edit: number | null
  readonly destination: string
  /** Nothing where the letter is gone, or is not this replay's any more. */
  readonly generation: number | null
  readonly name: string | null
  readonly dialect: string
  readonly key: string | null
  /** Nothing where it was erased. */
  readonly envelope: string | null
  readonly connection: string | null
  readonly channel: string
  readonly part: string
  readonly group: string
  readonly position: string
}

/**
 * Takes the next letters of a replay to be sent. The claim is durable before anything is sent: after a crash those are the ones of which
 * nobody knows, and no others. A letter that is not this replay's any more, or was erased, is passed over and holds up nobody.
 */
export async function claimLetters(sql: Sql, claiming: Claiming): Promise<readonly ClaimedLetter[]> {
  const { replay, now, name: fresh } = claiming
  const next = await openNext(sql, claiming)
  const rows = next.map(({ row }) => row)
  const destinationOf = destinations()
  const claimed: ClaimedLetter[] = []
  for (const { row, content } of next) {
    if (content === undefined || row.generation === null) continue
    const name = row.name ?? (await nameLetter(sql, row.letter, `${fresh}-${row.seq}`))
    claimed.push(claimedLetter(row, destinationOf(row.destination), name, content))
  }
  const sendable = new Set(claimed.map(({ seq }) => seq))
  const passedOver = rows.filter(({ seq }) => !sendable.has(seq))
  await markLines(sql, "state = 'claimed', at = ?", now, replay, [...sendable])
  await markLines(
    sql,
    "state = 'skipped', problem = 'gone', at = ?",
    now,
    replay,
    passedOver.map(({ seq }) => seq),
  )
  await countMoved(sql, replay, 'planned', 'claimed', claimed.length)
  await countMoved(sql, replay, 'planned', 'skipped', passedOver.length)
  await discardEmpty(sql, now, passedOver)
  return claimed
}

/** Those that are still this replay's were erased: nobody would take them from it any more. They go where erasing puts a letter. */
async function discardEmpty(sql: Sql, now: number, passedOver: readonly ClaimRow[]): Promise<void> {
  const empty = passedOver.filter(({ generation }) => generation !== null).map(({ letter }) => letter)
  if (empty.length === 0) return
  const tally = createTally()
  await changeState(sql, tally, empty, { from: 'replaying', to: 'discarded', now })
  await tally.write(sql)
}

interface Opened {
  readonly row: ClaimRow
  /** Nothing where it was erased. */
  readonly content: Content | undefined
}

/**
 * The next letters, up to one whose content does not fit its seal. When that is the first of them, it is refused, and the letters behind it that
 * have its key; the others go on.
 */
async function openNext(sql: Sql, { replay, most, now }: Claiming): Promise<readonly Opened[]> {
  for (;;) {
    const opened: Opened[] = []
    let broken: ClaimRow | undefined
    for (const row of await sql.all<ClaimRow>(nextLetters, replay, replay, most)) {
      const content = await contentOf(sql, row).catch(takeBroken)
      if (content === 'content-broken') {
        broken = row
        break
      }
      opened.push({ row, content })
    }
    if (!broken || opened.length > 0) return opened
    await refuse(sql, { replay, now, broken })
  }
}

function takeBroken(error: unknown): 'content-broken' {
  if (hasCode(error, 'content-broken')) return 'content-broken'
  throw error
}

async function refuse(
  sql: Sql,
  { replay, now, broken }: Pick<Claiming, 'replay' | 'now'> & { readonly broken: ClaimRow },
): Promise<void> {
  const { seq, letter } = broken
  await markLines(sql, "state = 'claimed', at = ?", now, replay, [seq])
  await countMoved(sql, replay, 'planned', 'claimed', 1)
  await recordSends(sql, { replay, now, outcomes: [{ seq, letter, outcome: 'refused', problem: 'content-broken' }] })
}

/**
 * One question for all of them: asked one by one, a hundred letters cost as much as sending them. Which lines are next is asked by itself,
 * because an index has the answer; joined with the rest, every line that was sent before is looked at again.
 */
const nextLetters = `
  SELECT ledger.seq, ledger.letter, ledger.edit, ledger.destination,
    letters.generation, letters.letter AS name, letters.dialect, letters.key, letters.position, ${keptColumns('contents')},
    ${nameColumns}
  FROM replay_letters AS ledger
    LEFT JOIN letters ON letters.id = ledger.letter AND letters.state = 'replaying'
    LEFT JOIN contents ON contents.letter = letters.id AND ledger.edit IS NULL
    ${joinKeys('letters.id')}
    LEFT JOIN sources ON sources.id = letters.source AND letters.broker = 'kept' AND letters.position IS NOT NULL
  WHERE ledger.replay = ? AND ledger.seq IN (
    SELECT seq FROM replay_letters WHERE replay = ? AND state = 'planned' ORDER BY seq LIMIT ?
  ) ORDER BY ledger.seq`

async function contentOf(sql: Sql, { letter, edit, envelope, ...kept }: ClaimRow): Promise<Content | undefined> {
  if (edit !== null) return editOf(sql, letter, edit)
  return envelope === null ? undefined : openContent(sql, { letter, edit: 0 }, { ...kept, envelope })
}

async function nameLetter(sql: Sql, letter: number, name: string): Promise<string> {
  await sql.run('UPDATE letters SET letter = ? WHERE id = ?', name, letter)
  return name
}

/** One object for each: there are few of them, and they travel to another thread with every letter. */
function destinations(): (text: string) => Destination {
  const known = new Map<string, Destination>()
  return (text) => {
    const destination = known.get(text) ?? (JSON.parse(text) as Destination)
    known.set(text, destination)
    return destination
  }
}

function claimedLetter(row: ClaimRow, destination: Destination, name: string, content: Content): ClaimedLetter {
  const { seq, letter, dialect, key, connection, channel, part, group, position } = row
  const copy = connection === null ? null : { connection, channel, part, group, position }
  return { seq, letter, name, generation: row.generation ?? 0, dialect, key, destination, ...content, copy }
}

async function markLines(sql: Sql, change: string, now: number, replay: number, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  const { places, values } = listOf(seqs)
  await sql.run(`UPDATE replay_letters SET ${change} WHERE replay = ? AND seq IN ${places}`, now, replay, ...values)
}

/**
 * A control plane that died had claimed these. Nobody knows whether they were sent, and nobody sends them again unasked, nor those behind them
 * that have their key.
 */
export const doubtClaims: Operation<{ readonly replay: number; readonly now: number }, { readonly doubted: number }> = async (
  sql,
  { replay, now },
) => {
  const claimed = await sql.all<{ seq: number; letter: number }>(
    "SELECT seq, letter FROM replay_letters WHERE replay = ? AND state = 'claimed' ORDER BY seq",
    replay,
  )
  const outcomes = claimed.map((line) => ({ ...line, outcome: 'unknown' as const, problem: 'interrupted' }))
  await recordSends(sql, { replay, now, outcomes })
  return { doubted: claimed.length }
}

/**
 * Replays that run, those that were being made, started or cancelled, and those that were told to stop while letters of theirs were on their
 * way: somebody has to see what becomes of them.
 */
export const unfinishedReplays: Operation<undefined, readonly number[]> = async (sql) => {
  const rows = await sql.all<{ id: number }>(
    `SELECT id FROM replays WHERE state IN ('sealing', 'starting', 'running', 'cancelling')
       OR id IN (SELECT replay FROM replay_counts WHERE state IN ('claimed', 'sent') AND letters > 0) ORDER BY id`,
  )
  return rows.map(({ id }) => id)
}

/** A replay that is being made, started or cancelled in steps, by whoever was asked for it. */
export interface StepsUnderWay {
  readonly replay: number
  /** Another number after every step. */
  readonly progress: number
}

export const stepsUnderWay: Operation<undefined, readonly StepsUnderWay[]> = async (sql) =>
  sql.all<StepsUnderWay>(
    `SELECT id AS replay, letters + taken + coalesce((
         SELECT sum(letters) FROM replay_counts WHERE replay = replays.id AND state = 'cancelled'
       ), 0) AS progress
     FROM replays WHERE state IN ('sealing', 'starting', 'cancelling') ORDER BY id`,
  )
