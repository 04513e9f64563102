import { routeOf, type Splits } from '../../core/cause-routes.ts'
import { decodeMessage, parseEnvelope } from '../../core/envelope.ts'
import { hasCode } from '../../core/errors.ts'
import type { LetterState } from '../../core/letter-states.ts'
import type { Headers } from '../../core/message.ts'
import { addNumbers, createCauseNumbers, narrowTimes, type SeenTimes } from '../cause-numbers.ts'
import { judgedLetter, type LastingFacts, needHeaders } from '../judged-letter.ts'
import { unresolvedStates } from '../letter-states.ts'
import { listOf, type Operation, type Sql } from '../sql.ts'
import { refreshSight, shiftBound, shownOf } from './cause-groups.ts'
import { contentOf } from './letters.ts'
import { liveSplits } from './live-splits.ts'

/** Letters, by their numbers, that one transaction looks at: everybody else who writes has a turn in between. */
export const lettersAtOnce = 2000

interface Moving {
  readonly cause: number
  readonly target: number
  readonly undone_at: number | null
  readonly moved_to: number | null
  readonly kept: string | null
}

interface Mover extends LastingFacts {
  readonly id: number
  readonly state: LetterState
  readonly failedAt: number
  readonly version: string | null
  readonly sourceChannel: string
  readonly connection: string
}

/**
 * One step of bringing the letters of a split, or of one that was undone, to where they belong. Each letter is judged by everything that is said now, from
 * the cause of its fingerprint on. Numbers go with the letters, in the same transaction: whoever is killed between two steps leaves nothing
 * wrong, and whoever comes next goes on. It ends when it has caught up with those that come.
 */
export const moveLetters: Operation<{ readonly decision: number }, { readonly isOver: boolean }> = async (sql, { decision }) => {
  const moving = await sql.get<Moving>(
    'SELECT cause, target, undone_at, moved_to, kept FROM cause_decisions WHERE id = ?',
    decision,
  )
  if (!moving || moving.moved_to === null) return { isOver: true }
  const from = moving.undone_at === null ? moving.cause : moving.target
  const upTo = moving.moved_to + lettersAtOnce
  const kept = await moveSome(
    sql,
    from,
    moving.moved_to,
    upTo,
    moving.kept === null ? null : (JSON.parse(moving.kept) as SeenTimes),
  )
  const newest = (await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM letters'))?.id ?? 0
  const isOver = upTo >= newest
  await sql.run(
    'UPDATE cause_decisions SET moved_to = ?, kept = ? WHERE id = ?',
    ...[isOver ? null : upTo, isOver || kept === null ? null : JSON.stringify(kept), decision],
  )
  if (isOver) await narrowTimes(sql, from, kept)
  for (const cause of new Set([moving.cause, moving.target])) {
    await refreshSight(sql, cause)
    await refreshSight(sql, await shownOf(sql, cause))
  }
  return { isOver }
}

/** Tells what was seen of those that stay, with what was seen before. */
async function moveSome(
  sql: Sql,
  from: number,
  after: number,
  upTo: number,
  before: SeenTimes | null,
): Promise<SeenTimes | null> {
  const letters = await sql.all<Mover>(lettersOf(sql), after, upTo, from)
  if (letters.length === 0) return before
  const splits = await liveSplits(sql)
  const start = await sql.get<{ own: number }>('SELECT coalesce(own, id) AS own FROM causes WHERE id = ?', from)
  const headersOf = needHeaders(splits) ? (letter: number) => headersIn(sql, letter) : async () => []
  const places = new Map<number, Mover[]>()
  for (const letter of letters) {
    const place = placeOf(letter, start?.own ?? from, splits, await headersOf(letter.id))
    const movers = places.get(place) ?? []
    places.set(place, movers)
    movers.push(letter)
  }
  for (const [place, movers] of places) if (place !== from) await move(sql, movers, from, place)
  return (places.get(from) ?? []).reduce(seen, before)
}

function lettersOf({ dialect }: Sql): string {
  return `SELECT letters.id, letters.state, letters.channel, letters.dialect, letters.reason, letters.error_type AS "errorType",
      letters.error_message AS "errorMessage", letters.type, letters.service, letters.version, letters.failed_at AS "failedAt",
      sources.channel AS "sourceChannel", sources.connection
    FROM letters JOIN sources ON sources.id = letters.source
    WHERE letters.id > ? AND letters.id <= ? AND ${dialect.unindexed('letters.cause')} = ? ORDER BY letters.id`
}

function placeOf(letter: Mover, start: number, splits: Splits, headers: Headers): number {
  const { sourceChannel: channel, connection } = letter
  return routeOf(start, splits, judgedLetter(letter, { channel, connection }, headers))
}

/** What was erased, or does not fit its seal, has none. */
async function headersIn(sql: Sql, letter: number): Promise<Headers> {
  try {
    const content = await contentOf(sql, letter)
    return content ? decodeMessage(parseEnvelope(content.envelope), null).headers : []
  } catch (error) {
    if (hasCode(error, 'content-broken')) return []
    throw error
  }
}

async function move(sql: Sql, letters: readonly Mover[], from: number, to: number): Promise<void> {
  const numbers = createCauseNumbers()
  for (const letter of letters) numbers.add(letter)
  const unresolved = letters.filter(({ state }) => unresolvedStates.has(state)).length
  const { places, values } = listOf(letters.map(({ id }) => id))
  await sql.run(`UPDATE letters SET cause = ? WHERE id IN ${places}`, to, ...values)
  await numbers.takeFrom(sql, from, unresolved)
  await addNumbers(sql, [{ cause: to, numbers, unresolved }])
  const [left, joined] = [await shownOf(sql, from), await shownOf(sql, to)]
  if (left === joined) return
  await shiftBound(sql, left, -unresolved)
  await shiftBound(sql, joined, unresolved)
}

function seen(before: SeenTimes | null, { failedAt, version }: Mover): SeenTimes {
  if (before === null) return { first: failedAt, last: failedAt, version }
  return {
    first: Math.min(before.first, failedAt),
    last: Math.max(before.last, failedAt),
    version: failedAt >= before.last ? (version ?? before.version) : before.version,
  }
}
