import { useState } from 'react'

export interface Chosen<Id> {
  readonly ids: ReadonlySet<Id>
  toggle(id: Id): void
  /** From the one that was toggled last to this one. */
  extend(id: Id, order: readonly Id[]): void
  set(ids: readonly Id[]): void
  clear(): void
}

export function useChosen<Id>(): Chosen<Id> {
  const [ids, setIds] = useState<ReadonlySet<Id>>(new Set())
  const [last, setLast] = useState<Id>()
  return {
    ids,
    toggle(id) {
      setLast(id)
      setIds((all) => (all.has(id) ? new Set([...all].filter((each) => each !== id)) : new Set([...all, id])))
    },
    extend(id, order) {
      const [from, to] = [order.indexOf(last ?? id), order.indexOf(id)].toSorted((one, other) => one - other)
      setLast(id)
      setIds((all) => new Set([...all, ...order.slice(Math.max(0, from ?? 0), (to ?? 0) + 1)]))
    },
    set: (chosen) => setIds(new Set(chosen)),
    clear: () => setIds(new Set()),
  }
}
