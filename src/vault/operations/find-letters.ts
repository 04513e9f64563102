import { letterStates } from '../../core/letter-states.ts'
import type { Condition } from '../condition.ts'
import type { Leading, Range, SqlPart } from '../dialect.ts'
import { joined } from '../filter-sql.ts'
import { blockOf, blockSize } from '../letter-blocks.ts'
import { type Lead, type Match, type Question, questionOf } from '../question.ts'
import { refuseSearchWhereSealed } from '../sealing/sealed-vault.ts'
import { listOf, type Operation, type Sql, type Value } from '../sql.ts'
import { refuseUnlessSearched } from './body-index.ts'
import { shownCause } from './cause-groups.ts'
import { type Letter, letterColumns } from './letters.ts'

export interface LetterQuery {
  readonly condition: Condition
  readonly limit: number
  /** The newest come first; only those with a smaller id. */
  readonly before?: number
  /** Only of these. */
  readonly sources?: readonly number[]
}

/** Nothing is sorted that is not shown: what leads has the newest first, and is asked for no more than a page. */
export const findLetters: Operation<LetterQuery, readonly Letter[]> = async (sql, query) => {
  const { limit, before, sources } = query
  if (sources?.length === 0) return []
  const question = await asked(sql, query)
  const branches = await branchesOf(sql, question.lead)
  const found: Letter[] = []
  const isSearch = question.match !== undefined && branches === everything
  const keepOrder = isSearch ? undefined : sql.dialect.keepOrder
  const ranges = rangesOf(sql, question, before ?? Number.MAX_SAFE_INTEGER)
  if (keepOrder) await sql.get(keepOrder.from)
  for await (const range of isSearch ? nearFirst(sql, ranges) : ranges) {
    found.push(...(await newestIn(sql, question, branches, range, limit - found.length)))
    if (found.length === limit) break
  }
  if (keepOrder) await sql.get(keepOrder.until)
  return found
}

async function asked(sql: Sql, { condition, sources }: Pick<LetterQuery, 'condition' | 'sources'>): Promise<Question> {
  const question = questionOf(condition, sql.dialect)
  if (question.bodies) await refuseUnlessSearched(sql)
  if (question.headers) await refuseSearchWhereSealed(sql)
  return sources ? within(question, sources) : question
}

/** What a filter means, and how much of it is looked at: nobody waits for a million rows to learn that there are many. */
export type CountQuery = Pick<LetterQuery, 'condition' | 'sources'> & { readonly most: number }

/** How many there are, counted up to `most`. */
export const countLetters: Operation<CountQuery, { readonly letters: number }> = async (sql, query) => {
  const found = await someOf(sql, query, '1 AS one')
  const row =
    found && (await sql.get<{ letters: number }>(`SELECT count(*) AS letters FROM (${found.text}) AS found`, ...found.values))
  return { letters: row?.letters ?? 0 }
}

/** The same by cause, those with the most letters first. */
export const countByCause: Operation<CountQuery, readonly { readonly cause: number; readonly letters: number }[]> = async (
  sql,
  query,
) => {
  const found = await someOf(sql, query, 'letters.cause AS own')
  if (!found) return []
  return sql.all(
    `SELECT cause, sum(letters) AS letters FROM (
       SELECT ${shownCause('counted.own')} AS cause, letters FROM (
         SELECT own, count(*) AS letters FROM (${found.text}) AS found GROUP BY own) AS counted) AS each
     GROUP BY cause ORDER BY letters DESC, cause`,
    ...found.values,
  )
}

/** In no order, so that whatever index leads may be walked as it is. */
async function someOf(sql: Sql, { condition, sources, most }: CountQuery, column: string): Promise<SqlPart | undefined> {
  if (sources?.length === 0) return undefined
  const { where, parameters, match, lead } = await asked(sql, { condition, ...(sources && { sources }) })
  const led = ledBy(sql, lead)
  const found = match && sql.dialect.holds(match.index, match.phrases)
  const from = match ? `${match.index} ${sql.dialect.joinAfter} letters ON letters.id = ${match.index}.rowid` : 'letters'
  return {
    text: `SELECT ${column} FROM ${from} WHERE ${found?.text ?? '1 = 1'} AND (${led.text}) AND (${where}) LIMIT ?`,
    values: [...(found?.values ?? []), ...led.values, ...parameters, most],
  }
}

function ledBy({ dialect }: Sql, lead: Lead | undefined): SqlPart {
  if (lead?.kind === 'states') return oneOf('letters.state', lead.values)
  if (lead?.kind !== 'texts') return { text: '1 = 1', values: [] }
  const texts = lead.values.map((value) => dialect.isText(lead.column, value))
  return joined(texts, ' OR ')
}

function oneOf(column: string, wanted: readonly Value[]): SqlPart {
  const { places, values } = listOf(wanted)
  return { text: `${column} IN ${places}`, values }
}

/** The plus keeps the index of sources out: it has them in no order. */
function within(question: Question, sources: readonly number[]): Question {
  const { places, values } = listOf(sources)
  const { where, parameters, blocks } = question
  const theirs = { text: `source IN ${places}`, values }
  return {
    ...question,
    where: `(${where}) AND +letters.source IN ${places}`,
    parameters: [...parameters, ...values],
    blocks: blocks ? joined([blocks, theirs], ' AND ') : theirs,
  }
}

interface Branch {
  readonly leading: readonly Leading[]
  /** Which index has them the newest first, where SQLite would take another one that fits less. */
  readonly index?: string
}

const everything: readonly Branch[] = [{ leading: [] }]
/** Above so many, a walk through all letters meets one of them soon. */
const mostCauses = 50

/** One question for each value of what leads: together, the newest of each hold the newest of all. */
async function branchesOf(sql: Sql, lead: Lead | undefined): Promise<readonly Branch[]> {
  if (!lead) return everything
  if (lead.kind === 'texts') {
    return [...new Set(lead.values)].map((value) => ({ leading: [{ column: lead.column, value, isText: true }] }))
  }
  if (lead.kind === 'states') return [...new Set(lead.values)].map((value) => ({ leading: [{ column: 'letters.state', value }] }))
  const causes = await sql.all<{ id: number }>(`${lead.ids.text} LIMIT ${mostCauses + 1}`, ...lead.ids.values)
  if (causes.length > mostCauses) return everything
  const states = [...new Set(lead.states ?? letterStates)]
  return causes.flatMap(({ id }) =>
    states.map((state) => ({
      leading: [
        { column: 'letters.cause', value: id },
        { column: 'letters.state', value: state },
      ],
      index: 'letters_by_cause',
    })),
  )
}

/**
 * What is common stands among the newest letters already. A server that is asked for all that have four words, each of them common, takes such letters for
 * rare, and gathers all of them.
 */
async function* nearFirst(sql: Sql, ranges: AsyncIterable<Range>): AsyncGenerator<Range> {
  const near = sql.dialect.nearFirst
  let isFirst = near !== undefined
  for await (const { from, before } of ranges) {
    const newest = isFirst ? (await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM letters'))?.id : undefined
    const middle = Math.min(before, (newest ?? 0) + 1) - (near ?? 0)
    if (isFirst && middle > from) {
      yield { from: middle, before }
      yield { from, before: middle }
    } else yield { from, before }
    isFirst = false
  }
}

const blocksAtOnce = 64

/** From the newest on, without what time or source say is not meant. */
async function* rangesOf(sql: Sql, { blocks }: Question, before: number): AsyncGenerator<Range> {
  if (!blocks) return yield { from: 0, before }
  const text = `SELECT DISTINCT block FROM letter_blocks WHERE block <= ? AND ${blocks.text} ORDER BY block DESC LIMIT ${blocksAtOnce}`
  for (let next = blockOf(before - 1); ; ) {
    const rows = await sql.all<{ block: number }>(text, next, ...blocks.values)
    yield* joinedRanges(
      rows.map(({ block }) => block),
      before,
    )
    if (rows.length < blocksAtOnce) return
    next = (rows.at(-1)?.block ?? 0) - 1
  }
}

/** Neighbours are one range. */
function* joinedRanges(blocks: readonly number[], before: number): Generator<Range> {
  for (let start = 0; start < blocks.length; ) {
    const newest = blocks[start] ?? 0
    let end = start + 1
    while (blocks[end] === newest - (end - start)) end++
    yield { from: (blocks[end - 1] ?? 0) * blockSize, before: Math.min((newest + 1) * blockSize, before) }
    start = end
  }
}

async function newestIn(
  sql: Sql,
  { where, parameters, match }: Question,
  branches: readonly Branch[],
  { from, before }: Range,
  limit: number,
): Promise<readonly Letter[]> {
  const { dialect } = sql
  const words = match && { index: match.index, ...dialect.holds(match.index, match.phrases) }
  if (words && branches === everything) {
    const { index } = words
    const text = `SELECT ${letterColumns} FROM ${index} ${dialect.joinAfter} letters ON letters.id = ${index}.rowid
      WHERE ${words.text} AND ${index}.rowid >= ${whole} AND ${index}.rowid < ${whole} AND (${where}) ORDER BY ${index}.rowid DESC LIMIT ?`
    return sql.all<Letter>(text, ...words.values, from, before, ...parameters, limit)
  }
  let found: Letter[] = []
  let oldest = from
  for (const branch of branches) {
    const { text: led, values, order } = dialect.newestOf(branch.leading, { from: oldest, before })
    const text = `SELECT ${letterColumns} FROM letters ${branch.index === undefined ? '' : dialect.indexedBy(branch.index)}
      WHERE ${led} AND (${where}) ${words ? `AND ${amongRows(words)}` : ''} ORDER BY ${order} LIMIT ?`
    const more = await sql.all<Letter>(text, ...values, ...parameters, ...(words?.values ?? []), limit)
    if (branches.length === 1) return more
    found = [...found, ...more].sort((one, other) => other.id - one.id).slice(0, limit)
    // What is older than a whole page of others is not on it.
    if (found.length === limit) oldest = found.at(-1)?.id ?? from
  }
  return found
}

/** The full-text index goes straight to where a page begins if that is an integer, and a number of JavaScript is bound as a float. */
const whole = 'CAST(? AS BIGINT)'

function amongRows({ index, text }: Pick<Match, 'index'> & SqlPart): string {
  return `EXISTS (SELECT 1 FROM ${index} WHERE ${index}.rowid = letters.id AND ${text})`
}
