/**
 * Which of two versions is the later one, as far as that can be told: numbers are compared as numbers, part by part, and a release comes
 * after what leads up to it (`1.4.0-rc.1`). Negative where `one` is earlier; `undefined` where the two cannot be compared.
 */
export function compareVersions(one: string, other: string): number | undefined {
  if (one === other) return 0
  const [mine, its] = [readVersion(one), readVersion(other)]
  if (!mine || !its) return undefined
  return compareParts(mine.numbers, its.numbers) || compareTags(mine.tag, its.tag)
}

interface Version {
  readonly numbers: readonly number[]
  readonly tag: string
}

const pattern = /^v?(\d+(?:\.\d+){0,4})(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/

function readVersion(text: string): Version | undefined {
  const found = text.length <= 128 ? pattern.exec(text) : null
  if (!found) return undefined
  return { numbers: (found[1] ?? '').split('.').map(Number), tag: found[2] ?? '' }
}

function compareParts(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Numbers in it as numbers: `rc.10` is later than `rc.9`. */
function compareTags(one: string, other: string): number {
  if (one === other) return 0
  if (one === '' || other === '') return one === '' ? 1 : -1
  return one.localeCompare(other, 'en', { numeric: true })
}
