/** How far a copy has come. Rows are compared in both vaults, each of which counts. */
export interface CopyNews {
  readonly doing: 'copying' | 'comparing'
  readonly table: string
  readonly done: number
  readonly all: number
}

/** What a table holds, in one line: two that have the same hold the same. */
export interface TableSum {
  readonly rows: number
  readonly hash: string
}

export interface ComparedTable {
  readonly table: string
  readonly source: TableSum
  readonly target: TableSum
}

export interface CopyOutcome {
  /** Rows that were copied now, and those that an earlier run had copied. */
  readonly copied: number
  readonly before: number
  readonly tables: readonly ComparedTable[]
  /** The ids of the keys that letters are sealed with: whoever opens the copy needs them, and whoever copies does not. */
  readonly sealedBy: readonly string[]
}

/** Whether both hold the same; else the target is not used. */
export function isWhole({ tables }: Pick<CopyOutcome, 'tables'>): boolean {
  return tables.every(isEqual)
}

export function isEqual({ source, target }: ComparedTable): boolean {
  return source.rows === target.rows && source.hash === target.hash
}
