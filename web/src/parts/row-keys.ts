import { useState } from 'react'
import { useActions } from '../shell/actions.tsx'
import type { Chosen } from './selection.ts'

interface Rows<Id> {
  readonly ids: readonly Id[]
  readonly chosen?: Chosen<Id>
  /** Brings a row that is not drawn yet into view. */
  readonly reveal?: (index: number) => void
}

/** j and k move through a list, x selects, and Enter is the link in the row, which has the focus. */
export function useRowKeys<Id>({ ids, chosen, reveal }: Rows<Id>): { readonly current: Id | undefined } {
  const [at, setAt] = useState(-1)
  function move(step: number): void {
    const next = Math.min(ids.length - 1, Math.max(0, at + step))
    setAt(next)
    reveal?.(next)
    // At once where the row is drawn, so that an Enter right after it is not lost; else as soon as it is.
    if (!focusRow(next, reveal !== undefined)) requestAnimationFrame(() => focusRow(next, reveal !== undefined))
  }
  const current = ids[at]
  const selecting = chosen
    ? [
        { name: 'Select this row', key: 'x', act: () => current !== undefined && chosen.toggle(current) },
        { name: 'Select up to this row', key: 'X', act: () => current !== undefined && chosen.extend(current, ids) },
      ]
    : []
  useActions([
    { name: 'Next row', key: 'j', act: () => move(1) },
    { name: 'Row before', key: 'k', act: () => move(-1) },
    ...selecting,
  ])
  return { current }
}

/** Where the list has scrolled already, the browser need not do it once more. */
function focusRow(index: number, preventScroll: boolean): boolean {
  const row = document.querySelector<HTMLElement>(`[data-row="${index}"]`)
  row?.focus({ preventScroll })
  return row !== null
}
