/** More lines than this are not compared one by one: the time would be the product of their numbers. */
const mostCompared = 1000
const context = 2

export type DiffLine = readonly [mark: ' ' | '-' | '+', line: string]

/** What differs between two texts, line by line, with a few lines around it. */
export function diffOf(before: string, after: string): readonly DiffLine[] {
  const [one, other] = [before.split('\n'), after.split('\n')]
  const start = commonLength(one, other)
  const end = commonLength(one.slice(start).toReversed(), other.slice(start).toReversed())
  const changed = compared(one.slice(start, one.length - end), other.slice(start, other.length - end))
  return nearChanges([...one.slice(0, start).map(same), ...changed, ...one.slice(one.length - end).map(same)])
}

function nearChanges(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>()
  for (const [index, [mark]] of lines.entries()) {
    if (mark !== ' ') for (let at = index - context; at <= index + context; at++) near.add(at)
  }
  return lines.filter((_, index) => near.has(index))
}

function same(line: string): DiffLine {
  return [' ', line]
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

function compared(one: readonly string[], other: readonly string[]): readonly DiffLine[] {
  if (one.length > mostCompared || other.length > mostCompared) {
    return [...one.map((line) => ['-', line] as const), ...other.map((line) => ['+', line] as const)]
  }
  return alongLongest(one, other, longestTable(one, other))
}

/** For each pair of places: how many lines the rests have in common, in order. */
function longestTable(one: readonly string[], other: readonly string[]): readonly Uint16Array[] {
  const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1))
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      const value =
        one[row] === other[column]
          ? at(table, row + 1, column + 1) + 1
          : Math.max(at(table, row + 1, column), at(table, row, column + 1))
      table[row]?.fill(value, column, column + 1)
    }
  }
  return table
}

function alongLongest(one: readonly string[], other: readonly string[], table: readonly Uint16Array[]): readonly DiffLine[] {
  const lines: DiffLine[] = []
  for (let row = 0, column = 0; row < one.length || column < other.length; ) {
    const [removed, added] = [one[row], other[column]]
    if (removed !== undefined && removed === added) {
      lines.push(same(removed))
      row++
      column++
    } else if (removed !== undefined && (added === undefined || at(table, row + 1, column) >= at(table, row, column + 1))) {
      lines.push(['-', removed])
      row++
    } else {
      lines.push(['+', added ?? ''])
      column++
    }
  }
  return lines
}

function at(table: readonly Uint16Array[], row: number, column: number): number {
  return table[row]?.[column] ?? 0
}
