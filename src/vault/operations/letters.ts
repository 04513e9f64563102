import { RedriveError } from '../../core/errors.ts'
import type { LetterState } from '../../core/letter-states.ts'
import type { BrokerCopy } from '../letter-states.ts'
import { type Content, joinKeys, type KeptContent, keptColumns, openContent } from '../sealing/contents.ts'
import type { Operation, Sql } from '../sql.ts'
import { shownCause } from './cause-groups.ts'

/** A letter as it stands in lists: nothing of it is payload. */
export interface Letter {
  readonly id: number
  readonly source: number
  readonly state: LetterState
  readonly broker: BrokerCopy
  /** The one that it stands under, by its fingerprint and by what people said about that. */
  readonly cause: number
  readonly channel: string
  readonly originGroup: string | null
  readonly originPosition: string | null
  readonly dialect: string
  readonly confidence: string
  readonly reason: string | null
  readonly errorType: string | null
  readonly errorMessage: string | null
  readonly messageId: string | null
  readonly type: string | null
  readonly key: string | null
  readonly correlationId: string | null
  readonly service: string | null
  readonly version: string | null
  readonly letter: string | null
  readonly generation: number
  readonly replay: number | null
  readonly attempts: number | null
  readonly failedAt: number
  readonly receivedAt: number
  readonly position: string | null
  readonly bytes: number
  /** When the broker drops its own copy, at the earliest; nothing where it has none, or does not drop any as far as anybody knows. */
  readonly brokerDropsAt: number | null
}

/** Under the names that people see. */
export const letterColumns: string = `letters.id, letters.source, letters.state, letters.broker, ${shownCause('letters.cause')} AS cause, letters.channel,
  letters.origin_group AS "originGroup", letters.origin_position AS "originPosition", letters.dialect, letters.confidence,
  letters.reason, letters.error_type AS "errorType", letters.error_message AS "errorMessage", letters.message_id AS "messageId",
  letters.type, letters.key, letters.correlation_id AS "correlationId", letters.service, letters.version, letters.letter,
  letters.generation, letters.replay, letters.attempts, letters.failed_at AS "failedAt", letters.received_at AS "receivedAt",
  letters.position, letters.bytes,
  CASE WHEN letters.broker = 'kept' THEN
    letters.failed_at + (SELECT sources.keeps_for FROM sources WHERE sources.id = letters.source) END AS "brokerDropsAt"`

async function letterById(sql: Sql, id: number): Promise<Letter> {
  const letter = await sql.get<Letter>(`SELECT ${letterColumns} FROM letters WHERE id = ?`, id)
  if (!letter) throw new RedriveError('not-found', `There is no letter ${id}.`)
  return letter
}

export const showLetter: Operation<{ readonly id: number }, Letter> = (sql, { id }) => letterById(sql, id)

export const readContent: Operation<{ readonly id: number }, Content> = async (sql, { id }) => {
  const content = await contentOf(sql, id)
  if (!content) throw new RedriveError('not-found', `There is no letter ${id}, or its content was erased.`)
  return content
}

/** Nothing where there is no such letter, or its content was erased. */
export async function contentOf(sql: Sql, letter: number): Promise<Content | undefined> {
  const text = `SELECT ${keptColumns('contents')} FROM contents ${joinKeys('contents.letter')} WHERE contents.letter = ?`
  const kept = await sql.get<KeptContent>(text, letter)
  return kept && openContent(sql, { letter, edit: 0 }, kept)
}
