/** What stands in a chain knows its neighbours. */
export interface Link<T> {
  previous: T | undefined
  next: T | undefined
}

/**
 * Items in the order in which they came; adding and removing cost no search. Not a map or a set: one that grows and empties again and
 * again leaves tables behind that keep each other, and what they held, alive beyond many collections.
 */
export interface Chain<T> extends Iterable<T> {
  readonly size: number
  readonly first: T | undefined
  append(item: T): void
  /** Of something that stands in it. */
  remove(item: T): void
  find(isMeant: (item: T) => boolean): T | undefined
}

export function chain<T extends Link<T>>(): Chain<T> {
  let first: T | undefined
  let last: T | undefined
  let size = 0
  return {
    get size() {
      return size
    },
    get first() {
      return first
    },
    append(item) {
      item.previous = last
      if (last) last.next = item
      else first = item
      last = item
      size++
    },
    remove(item) {
      if (item.previous) item.previous.next = item.next
      else first = item.next
      if (item.next) item.next.previous = item.previous
      else last = item.previous
      item.previous = undefined
      item.next = undefined
      size--
    },
    find(isMeant) {
      for (let item = first; item; item = item.next) if (isMeant(item)) return item
      return undefined
    },
    /** Survives the removal of the item that it has just given. */
    *[Symbol.iterator]() {
      for (let item = first; item; ) {
        const { next } = item
        yield item
        item = next
      }
    },
  }
}
