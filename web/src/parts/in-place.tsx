import { useRef, useState } from 'react'
import { useActions } from '../shell/actions.tsx'
import { Button } from './button.tsx'
import { changeText, type InPlace, inPlace } from './in-place.model.ts'

interface Following<Id, Row> {
  readonly idOf: (row: Row) => Id
  /** Which list this is: another one is shown as it comes. */
  readonly of: string
  /** It is being fetched. What comes then for the first time is shown at once: nobody has read the list yet. */
  readonly isComing: boolean
}

/** A list that does not move while somebody reads it, however much happens. */
export function useInPlace<Row, Id>(
  fresh: readonly Row[],
  { idOf, of, isComing }: Following<Id, Row>,
): InPlace<Row> & { readonly show: () => void } {
  const [, redraw] = useState(0)
  const held = useRef<{ of: string; rows: readonly Row[]; isRead: boolean }>({ of, rows: fresh, isRead: false })
  const { current } = held
  // In an empty list there is nothing that could be moved.
  if (current.of !== of || !current.isRead || current.rows.length === 0) held.current = { of, rows: fresh, isRead: !isComing }
  const show = (): void => {
    held.current = { of, rows: [], isRead: false }
    redraw((count) => count + 1)
  }
  return { ...inPlace(held.current.rows, fresh, idOf), show }
}

/** Says what came meanwhile, and shows it when somebody wants it. Its place is kept, so that it moves nothing either. */
export function Changed({ list, what }: { readonly list: ReturnType<typeof useInPlace>; readonly what: string }) {
  return <ChangedLine text={changeText(list, what)} onShow={list.show} />
}

export function ChangedLine({ text, onShow }: { readonly text: string | undefined; readonly onShow: () => void }) {
  useActions([
    { name: 'Show what came meanwhile', key: 'n', reason: text === undefined ? 'Nothing came.' : undefined, act: onShow },
  ])
  return (
    <div className="mb-2 min-h-8">
      {text !== undefined && (
        <Button look="quiet" onClick={onShow}>
          ↻ {text}. Show
        </Button>
      )}
    </div>
  )
}
