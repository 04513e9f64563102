import type { Letter } from '../../api/letters.ts'

export interface Share {
  readonly value: string
  readonly letters: number
}

/** How letters spread over the values of a field, the largest first; what they do not have is counted too. */
export function distribution(letters: readonly Letter[], field: (letter: Letter) => string | null, most = 5): readonly Share[] {
  const counts = new Map<string, number>()
  for (const letter of letters) {
    const value = field(letter) ?? '(none)'
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const sorted = [...counts]
    .map(([value, count]) => ({ value, letters: count }))
    .toSorted((one, other) => other.letters - one.letters)
  const rest = sorted.slice(most).reduce((sum, share) => sum + share.letters, 0)
  return rest === 0 ? sorted : [...sorted.slice(0, most), { value: `${sorted.length - most} others`, letters: rest }]
}
