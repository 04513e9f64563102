/** A queue with two ends on a ring, so that taking from the head never moves the rest. */
export interface Deque<T> {
  readonly length: number
  pushBack(item: T): void
  pushFront(item: T): void
  popFront(): T | undefined
  front(): T | undefined
  back(): T | undefined
  /** Puts an item before the first one that does not precede it; cheap where that is near the head. */
  insertAfterWhile(precedes: (other: T) => boolean, item: T): void
}

const smallest = 16

export function deque<T>(): Deque<T> {
  let ring: (T | undefined)[] = new Array(smallest)
  let head = 0
  let length = 0

  function grow(): void {
    const larger: (T | undefined)[] = new Array(ring.length * 2)
    for (let i = 0; i < length; i++) larger[i] = ring[(head + i) & (ring.length - 1)]
    ring = larger
    head = 0
  }

  function pushBack(item: T): void {
    if (length === ring.length) grow()
    ring[(head + length) & (ring.length - 1)] = item
    length++
  }

  function pushFront(item: T): void {
    if (length === ring.length) grow()
    head = (head - 1) & (ring.length - 1)
    ring[head] = item
    length++
  }

  function popFront(): T | undefined {
    if (length === 0) return undefined
    const item = ring[head]
    ring[head] = undefined
    head = (head + 1) & (ring.length - 1)
    length--
    return item
  }

  function insertAfterWhile(precedes: (other: T) => boolean, item: T): void {
    const earlier: T[] = []
    for (let first = ring[head]; length > 0 && first !== undefined && precedes(first); first = ring[head]) {
      earlier.push(first)
      popFront()
    }
    pushFront(item)
    for (const other of earlier.reverse()) pushFront(other)
  }

  return {
    get length() {
      return length
    },
    pushBack,
    pushFront,
    popFront,
    front: () => (length === 0 ? undefined : ring[head]),
    back: () => (length === 0 ? undefined : ring[(head + length - 1) & (ring.length - 1)]),
    insertAfterWhile,
  }
}
