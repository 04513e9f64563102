/** What is shown of a list that goes on changing. */
export interface InPlace<Row> {
  readonly rows: readonly Row[]
  /** Of the rows that are shown, those that the list holds no more. */
  readonly gone: ReadonlySet<Row>
  /** How many came meanwhile and are not shown. */
  readonly waiting: number
  /** The rows that are in both stand in another order by now. */
  readonly isReordered: boolean
}

/** Rows keep their places and take new values; those that left stay as they were, and new ones wait. */
export function inPlace<Row, Id>(shown: readonly Row[], fresh: readonly Row[], idOf: (row: Row) => Id): InPlace<Row> {
  const byId = new Map(fresh.map((row) => [idOf(row), row]))
  const rows = shown.map((row) => byId.get(idOf(row)) ?? row)
  const known = new Set(shown.map(idOf))
  const places = new Map(fresh.map((row, place) => [idOf(row), place]))
  const order = rows.flatMap((row) => places.get(idOf(row)) ?? [])
  return {
    rows,
    gone: new Set(rows.filter((row) => !byId.has(idOf(row)))),
    waiting: fresh.filter((row) => !known.has(idOf(row))).length,
    isReordered: order.some((place, at) => at > 0 && place < (order[at - 1] ?? 0)),
  }
}

/** What would change if the list were shown as it is now; `undefined` for nothing. */
export function changeText({ waiting, gone, isReordered }: Omit<InPlace<unknown>, 'rows'>, what: string): string | undefined {
  const parts = [
    ...(waiting > 0 ? [`${waiting} new ${waiting === 1 ? what : `${what}s`}`] : []),
    ...(gone.size > 0 ? [`${gone.size} left this list`] : []),
    ...(waiting + gone.size === 0 && isReordered ? ['The order is another by now'] : []),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}
