/** A binary heap: the item with the smallest `at` comes first. */
export interface Heap<T> {
  push(at: number, item: T): void
  /** When the first item is due; `Infinity` when there is none. */
  readonly firstAt: number
  pop(): T | undefined
}

export function heap<T>(): Heap<T> {
  const nodes: { readonly at: number; readonly item: T }[] = []
  const at = (index: number): number => nodes[index]?.at ?? Number.POSITIVE_INFINITY

  function swap(one: number, other: number): void {
    const [a, b] = [nodes[one], nodes[other]]
    if (a === undefined || b === undefined) return
    nodes[one] = b
    nodes[other] = a
  }

  function rise(from: number): void {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1
      if (at(parent) <= at(child)) return
      swap(parent, child)
      child = parent
    }
  }

  function sink(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      const smaller = at(left + 1) < at(left) ? left + 1 : left
      if (at(parent) <= at(smaller)) return
      swap(parent, smaller)
      parent = smaller
    }
  }

  return {
    push(due, item) {
      nodes.push({ at: due, item })
      rise(nodes.length - 1)
    },
    get firstAt() {
      return at(0)
    },
    pop() {
      const first = nodes[0]
      const last = nodes.pop()
      if (first === undefined || last === undefined) return undefined
      if (nodes.length > 0) {
        nodes[0] = last
        sink()
      }
      return first.item
    },
  }
}
