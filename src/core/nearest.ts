/** Longer words are not typing mistakes, and comparing them costs the product of their lengths. */
const longestWord = 64

/** The candidate that was probably meant, or `undefined` when none is near: two letters may differ, in long words one in three. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined
  let best: string | undefined
  const farthest = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1)
  let bestDistance = farthest + 1
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

/** Insertions, deletions and replacements that turn one word into the other (Levenshtein), row by row. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1))
    }
    previous = current
  }
  return at(previous, to.length)
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
