import { useState } from 'react'

/** Some rows, or everything that matches: two different things, of which one is meant at a time. */
export interface Chosen<Id> {
  readonly ids: ReadonlySet<Id>
  readonly isAll: boolean
  toggle(id: Id): void
  /** From the one that was toggled last to this one. */
  extend(id: Id, order: readonly Id[]): void
  set(ids: readonly Id[]): void
  /** Everything that matches, whether it is shown or not. */
  takeAll(): void
  clear(): void
}

interface Choice<Id> {
  readonly ids: ReadonlySet<Id>
  readonly isAll: boolean
}

const nothing = { ids: new Set<never>(), isAll: false }

export function useChosen<Id>(): Chosen<Id> {
  const [{ ids, isAll }, setChoice] = useState<Choice<Id>>(nothing)
  const [last, setLast] = useState<Id>()
  const change = (next: (ids: ReadonlySet<Id>) => Iterable<Id>): void =>
    setChoice((choice) => ({ ids: new Set(next(choice.ids)), isAll: false }))
  return {
    ids,
    isAll,
    toggle(id) {
      setLast(id)
      change((all) => (all.has(id) ? [...all].filter((each) => each !== id) : [...all, id]))
    },
    extend(id, order) {
      const [from, to] = [order.indexOf(last ?? id), order.indexOf(id)].toSorted((one, other) => one - other)
      setLast(id)
      change((all) => [...all, ...order.slice(Math.max(0, from ?? 0), (to ?? 0) + 1)])
    },
    set: (chosen) => change(() => chosen),
    takeAll: () => setChoice({ ...nothing, isAll: true }),
    clear: () => setChoice(nothing),
  }
}
