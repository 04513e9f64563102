import { globAnyCase } from './glob.ts'

/**
 * Paths into a JSON value: `$.customer.email`, `$.items[*].card`, `$.items[0].card`, `**.password`, `**.*token*`. One `*` is any characters of one
 * name, `**` any number of names, `$` the whole value. Every text is a path, so that no rule is ever refused and left out.
 */
export interface Paths {
  /** Whether one of the paths ends here. */
  readonly end: boolean
  /** The same paths, seen from the field of this name, or the item of this index. */
  enter(name: string): Paths
}

type Segment = 'any-depth' | ((name: string) => boolean)

export function createPaths(paths: readonly string[]): Paths {
  return at(paths.map(segmentsOf).map((segments) => ({ segments, reached: new Set([0]) })))
}

/** A path, and every segment of it at which the walk may stand: more than one behind a `**`. */
interface Progress {
  readonly segments: readonly Segment[]
  readonly reached: ReadonlySet<number>
}

function at(progress: readonly Progress[]): Paths {
  return {
    end: progress.some(({ segments, reached }) => reached.has(segments.length)),
    enter: (name) => at(progress.map((path) => advanced(path, name)).filter(({ reached }) => reached.size > 0)),
  }
}

function advanced({ segments, reached }: Progress, name: string): Progress {
  const next = new Set<number>()
  for (const index of reached) {
    for (const candidate of entered(segments, index, name)) next.add(candidate)
  }
  return { segments, reached: next }
}

/** Where one name leads from a segment. Behind `**`, the name may be skipped or be the next segment; a `**` at the end takes all. */
function entered(segments: readonly Segment[], index: number, name: string): readonly number[] {
  const segment = segments[index]
  if (segment === undefined) return []
  if (segment !== 'any-depth') return segment(name) ? [index + 1] : []
  const isLast = index + 1 === segments.length
  return isLast ? [index + 1] : [index, ...entered(segments, index + 1, name)]
}

function segmentsOf(path: string): readonly Segment[] {
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  if (names[0] === '$') names.shift()
  return names
    .filter((name, i) => name !== '**' || names[i - 1] !== '**')
    .map((name) => (name === '**' ? 'any-depth' : globAnyCase(name)))
}
