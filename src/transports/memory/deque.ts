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

/** Most lanes hold one message at a time. */
const smallest = 2

export function deque<T>(): Deque<T> {
  return new Ring<T>()
}

/** A class, because one is made for every lane. */
class Ring<T> implements Deque<T> {
  length = 0
  #ring: (T | undefined)[] = new Array(smallest)
  #head = 0

  pushBack(item: T): void {
    this.#makeRoom()
    this.#ring[this.#at(this.length)] = item
    this.length++
  }

  pushFront(item: T): void {
    this.#makeRoom()
    this.#head = this.#at(-1)
    this.#ring[this.#head] = item
    this.length++
  }

  popFront(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#ring[this.#head]
    this.#ring[this.#head] = undefined
    this.#head = this.#at(1)
    this.length--
    return item
  }

  front(): T | undefined {
    return this.length === 0 ? undefined : this.#ring[this.#head]
  }

  back(): T | undefined {
    return this.length === 0 ? undefined : this.#ring[this.#at(this.length - 1)]
  }

  insertAfterWhile(precedes: (other: T) => boolean, item: T): void {
    const earlier: T[] = []
    for (let first = this.front(); first !== undefined && precedes(first); first = this.front()) {
      earlier.push(first)
      this.popFront()
    }
    this.pushFront(item)
    for (const other of earlier.reverse()) this.pushFront(other)
  }

  /** The sizes are powers of two, so going round is cutting off bits. */
  #at(offset: number): number {
    return (this.#head + offset) & (this.#ring.length - 1)
  }

  #makeRoom(): void {
    if (this.length < this.#ring.length) return
    const larger: (T | undefined)[] = new Array(this.#ring.length * 2)
    for (let i = 0; i < this.length; i++) larger[i] = this.#ring[this.#at(i)]
    this.#ring = larger
    this.#head = 0
  }
}
