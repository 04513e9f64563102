/**
 * How a version of the tables comes to be. Where several have a vault, code of the last version works beside it for a while, so that a version has two
 * steps. `expansion` is what that code does not mind: new tables, new columns with a default or none, new indexes. `contraction` takes away or changes
 * what it uses, and waits until nobody of before is there. Code of this version works before and after it, and both steps may come behind the
 * expansions of later versions.
 */
export interface TableVersion {
  readonly expansion: string
  /** Rows of before, and those that code of before goes on writing, until nobody of before is there. */
  readonly filling?: Filling
  readonly contraction?: string
}

/** Rows that are written anew, a few at a time, so that everybody else has turns in between. */
export interface Filling {
  readonly table: string
  /** What tells its rows apart. */
  readonly key: string
  readonly set: string
  /** Which rows are still to be written; not those that were. */
  readonly where: string
}

/** For whoever is alone with the tables: all of it. */
export function atOnce({ expansion, filling, contraction }: TableVersion): string {
  const filled = filling && `UPDATE ${filling.table} SET ${filling.set} WHERE ${filling.where}`
  return [expansion, filled, contraction].filter((step) => step !== undefined).join(';\n')
}

export function someOf({ table, key, set, where }: Filling, most: number): string {
  return `UPDATE ${table} SET ${set} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${where} LIMIT ${most})`
}

/** The oldest code that works with all of these, by the version that it knows. */
export function oldestFor(versions: readonly TableVersion[]): number {
  return versions.findLastIndex(({ contraction }) => contraction !== undefined) + 1
}
