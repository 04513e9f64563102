import { RedriveError } from '../../core/errors.ts'
import { knownKeys } from '../sealing/known-keys.ts'
import type { Sql } from '../sql.ts'
import { type CopiedTable, copiedTables } from './copied-tables.ts'
import { markAsHalfCopy, markAsWhole, noteProgress, type Progress, readHalfCopy } from './half-copy.ts'
import { type ComparedTable, type CopyNews, type CopyOutcome, isEqual, isWhole } from './outcome.ts'
import { keyOf, pagesOf } from './pages.ts'
import type { CopySource, CopyTarget } from './place.ts'
import { sumOf } from './table-sum.ts'

/**
 * Copies everything that a vault holds into an empty one. Every page of rows is one transaction with a note of how far it came, so that a copy which was
 * killed goes on. In the end both are read once more and compared, and only then the target is a vault.
 *
 * The source may have changed since an earlier run copied from it: a table that differs and was begun before is copied anew. One that was copied whole in
 * this run, of a source that stands still, cannot differ, and where it does nothing is mended in silence.
 */
export async function copyVault(
  source: CopySource,
  target: CopyTarget,
  onNews: (news: CopyNews) => void = () => {},
): Promise<CopyOutcome> {
  const tables = copiedTables()
  const counts = await countsIn(source.sql, tables)
  const sealedBy = (await knownKeys(source.sql)).filter(({ retiredAt }) => retiredAt === null).map(({ id }) => id)
  const all = sum([...counts.values()])
  if (!(await isToBeFilled(source, target, counts))) return { ...(await alreadyWhole(source, target, onNews)), sealedBy }

  const { progress } = await target.read(readHalfCopy)
  const begun = new Set(progress.keys())
  const before = sum([...progress.values()].map(({ rows }) => rows))
  let copied = 0
  async function copy(table: CopiedTable): Promise<void> {
    copied += await copyTable(source, target, { table, progress }, (done) =>
      onNews({ doing: 'copying', table: table.name, done, all }),
    )
  }
  for (const table of tables) await copy(table)
  const mend = async (table: CopiedTable): Promise<boolean> => {
    if (!begun.has(table.name)) return false
    await empty(target, table, progress)
    await copy(table)
    return true
  }
  const compared = await compareAll(source, target, onNews, mend)
  if (isWhole({ tables: compared })) await finish(source, target, tables)
  return { copied, before, tables: compared, sealedBy }
}

/** Not where it holds as many rows as the source already. Everything else that is not empty and not half of this copy is refused. */
async function isToBeFilled(source: CopySource, target: CopyTarget, counts: Counts): Promise<boolean> {
  if (await target.read(target.words.isHalfCopy)) {
    const { source: name } = await target.read(readHalfCopy)
    if (name === source.name) return true
    throw new RedriveError('conflict', `${target.name} is half of a copy of ${name}. Finish that one, or remove it first.`)
  }
  const found = await target.read((sql) => countsIn(sql, copiedTables()))
  if (sum([...found.values()]) === 0) {
    await target.write((sql) => markAsHalfCopy(sql, source.name))
    return true
  }
  if ([...counts].every(([table, rows]) => found.get(table) === rows)) return false
  throw notEmpty(target)
}

/** It may have been killed after it was done: then it is done. */
async function alreadyWhole(
  source: CopySource,
  target: CopyTarget,
  onNews: (news: CopyNews) => void,
): Promise<Omit<CopyOutcome, 'sealedBy'>> {
  const outcome = { copied: 0, before: 0, tables: await compareAll(source, target, onNews) }
  if (isWhole(outcome)) return { ...outcome, before: sum(outcome.tables.map((table) => table.target.rows)) }
  throw notEmpty(target)
}

function notEmpty({ name }: CopyTarget): RedriveError {
  return new RedriveError('conflict', `${name} is not empty. Copy into a vault that holds nothing; nothing was changed.`)
}

type Counts = ReadonlyMap<string, number>

async function countsIn(sql: Sql, tables: readonly CopiedTable[]): Promise<Counts> {
  const counts = new Map<string, number>()
  for (const { name } of tables) {
    counts.set(name, (await sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`))?.n ?? 0)
  }
  return counts
}

/** How many rows were copied; `onDone` hears how many there are in all tables. */
async function copyTable(
  source: CopySource,
  target: CopyTarget,
  { table, progress }: { readonly table: CopiedTable; readonly progress: Progress },
  onDone: (rows: number) => void,
): Promise<number> {
  const places = table.columns.map(() => '?').join(', ')
  const insert = `INSERT INTO ${table.name} (${table.columns.join(', ')}) VALUES (${places})`
  let copied = 0
  for await (const page of pagesOf(source.sql, table.reading, progress.get(table.name)?.after)) {
    const last = page.at(-1)
    if (!last) continue
    const rows = (progress.get(table.name)?.rows ?? 0) + page.length
    progress.set(table.name, { rows, after: keyOf(table.reading, last) })
    await target.write(async (sql) => {
      await sql.runEach(
        insert,
        page.map((found) => table.rowOf(found, sql.dialect)),
      )
      await noteProgress(sql, progress)
    })
    copied += page.length
    onDone(sum([...progress.values()].map((reached) => reached.rows)))
  }
  return copied
}

async function empty(target: CopyTarget, { name }: CopiedTable, progress: Progress): Promise<void> {
  progress.delete(name)
  await target.write(async (sql) => {
    await target.words.empty(sql, name)
    await noteProgress(sql, progress)
  })
}

/** A table that differs is compared once more where it could be mended. */
async function compareAll(
  source: CopySource,
  target: CopyTarget,
  onNews: (news: CopyNews) => void,
  mend: (table: CopiedTable) => Promise<boolean> = async () => false,
): Promise<readonly ComparedTable[]> {
  const tables = copiedTables()
  const all = 2 * sum([...(await countsIn(source.sql, tables)).values()])
  let done = 0
  async function compared(table: CopiedTable): Promise<ComparedTable> {
    const onRows = (rows: number): void => {
      done += rows
      onNews({ doing: 'comparing', table: table.name, done, all })
    }
    return {
      table: table.name,
      source: await sumOf(source.sql, table.comparing, onRows),
      target: await target.read((sql) => sumOf(sql, table.comparing, onRows)),
    }
  }
  const found: ComparedTable[] = []
  for (const table of tables) {
    const first = await compared(table)
    found.push(isEqual(first) || !(await mend(table)) ? first : await compared(table))
  }
  return found
}

/** Numbers that were given once are never given again, also those of rows that are gone. */
async function finish(source: CopySource, target: CopyTarget, tables: readonly CopiedTable[]): Promise<void> {
  await target.write(async (sql) => {
    for (const { name } of tables.filter(({ isNumbered }) => isNumbered)) {
      await target.words.countFrom(sql, name, await source.words.lastNumber(source.sql, name))
    }
    await markAsWhole(sql)
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
