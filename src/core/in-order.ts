/**
 * Several lists that are in order, as one. Only the next item of each list is looked at, so that a million of them need not be sorted at once.
 * `isBefore` compares; lists are made of items as they are asked for.
 */
export function* inOrder<T>(lists: readonly Iterable<T>[], isBefore: (one: T, other: T) => boolean): Generator<T> {
  const heads: Head<T>[] = []
  for (const list of lists) {
    const rest = list[Symbol.iterator]()
    const { done, value } = rest.next()
    if (!done) heads.push({ value, rest })
  }
  for (let place = Math.floor(heads.length / 2) - 1; place >= 0; place--) sink(heads, place, isBefore)
  for (let first = heads[0]; first; first = heads[0]) {
    yield first.value
    const { done, value } = first.rest.next()
    if (!done) first.value = value
    else moveLastToFront(heads)
    sink(heads, 0, isBefore)
  }
}

interface Head<T> {
  value: T
  readonly rest: Iterator<T>
}

function moveLastToFront<T>(heads: Head<T>[]): void {
  const last = heads.pop()
  if (last && heads.length > 0) heads[0] = last
}

/** Every head is before the two below it, except perhaps the one at `place`: it goes down to where it belongs. */
function sink<T>(heads: Head<T>[], place: number, isBefore: (one: T, other: T) => boolean): void {
  for (let at = place; ; ) {
    const left = 2 * at + 1
    let least = at
    for (const child of [left, left + 1]) if (isHeadBefore(heads[child], heads[least], isBefore)) least = child
    const [upper, lower] = [heads[at], heads[least]]
    if (least === at || !upper || !lower) return
    heads[at] = lower
    heads[least] = upper
    at = least
  }
}

function isHeadBefore<T>(one: Head<T> | undefined, other: Head<T> | undefined, isBefore: (one: T, other: T) => boolean): boolean {
  return one !== undefined && other !== undefined && isBefore(one.value, other.value)
}
