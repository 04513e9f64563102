import { type FocusEvent, useState } from 'react'
import { useActions } from '../shell/actions.tsx'
import type { Chosen } from './selection.ts'

interface Rows<Id> {
  readonly ids: readonly Id[]
  readonly chosen?: Chosen<Id>
  /** Brings a row that is not drawn yet into view. */
  readonly reveal?: (index: number) => void
}

interface RowKeys<Id> {
  /** The row that single keys mean. */
  readonly current: Id | undefined
  /** For what holds the rows, so that the row with the focus is the current one however it got it. */
  readonly onFocus: (event: FocusEvent) => void
}

interface Place<Id> {
  readonly id: Id
  /** Where it stood last: from there one goes on when it is gone. */
  readonly index: number
  /** What nobody sees that they are at is not meant by a key: a row that left, or one whose box was clicked. */
  readonly isMeant: boolean
}

/**
 * j and k move through a list, x selects, and Enter is the link in the row, which has the focus. A place is a row and not a number: what comes
 * above it, or goes from above it, changes nothing about what a key means.
 */
export function useRowKeys<Id extends number>({ ids, chosen, reveal }: Rows<Id>): RowKeys<Id> {
  const [place, setPlace] = useState<Place<Id>>()
  const index = place ? ids.indexOf(place.id) : -1
  // It does not become the current row again by itself, should it come back: the focus does not come back with it.
  if (place?.isMeant && index < 0) setPlace({ ...place, isMeant: false })
  else if (place && index >= 0 && index !== place.index) setPlace({ ...place, index })

  function move(step: 1 | -1): void {
    const next = Math.min(ids.length - 1, Math.max(0, stepFrom(place, index, step)))
    const id = ids[next]
    if (id === undefined) return
    setPlace({ id, index: next, isMeant: true })
    reveal?.(next)
    // At once where the row is drawn, so that an Enter right after it is not lost; else as soon as it is.
    if (!focusRow(id, reveal !== undefined)) requestAnimationFrame(() => focusRow(id, reveal !== undefined))
  }
  const current = place?.isMeant && index >= 0 ? place.id : undefined
  const selecting = chosen
    ? [
        { name: 'Select this row', key: 'x', act: () => current !== undefined && chosen.toggle(current) },
        { name: 'Select up to this row', key: 'X', act: () => current !== undefined && chosen.extend(current, ids) },
      ]
    : []
  useActions([
    { name: 'Next row', key: 'j', repeats: true, act: () => move(1) },
    { name: 'Row before', key: 'k', repeats: true, act: () => move(-1) },
    ...selecting,
  ])
  return {
    current,
    onFocus({ target }) {
      const focused = target.closest('[role="row"], tr')?.querySelector<HTMLElement>('[data-row]')?.dataset['row']
      const at = ids.findIndex((id) => String(id) === focused)
      const id = ids[at]
      if (id !== undefined) setPlace({ id, index: at, isMeant: target.matches('[data-row], :focus-visible') })
    },
  }
}

/** Where the row is gone, the one that came in its place is the next one. */
function stepFrom(place: Place<number> | undefined, index: number, step: 1 | -1): number {
  if (!place) return step === 1 ? 0 : -1
  if (index >= 0) return index + step
  return step === 1 ? place.index : place.index - 1
}

/** Where the list has scrolled already, the browser need not do it once more. */
function focusRow(id: number, preventScroll: boolean): boolean {
  const row = document.querySelector<HTMLElement>(`[data-row="${id}"]`)
  row?.focus({ preventScroll })
  return row !== null
}
