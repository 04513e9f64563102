import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { type Letter, lettersQuery } from '../../api/letters.ts'
import { type Told, useTold } from '../../api/live.ts'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { ChangedLine } from '../../parts/in-place.tsx'
import { many } from '../../parts/number.model.ts'
import { Problem } from '../../parts/problem.tsx'
import { useRowKeys } from '../../parts/row-keys.ts'
import { useChosen } from '../../parts/selection.ts'
import { filterArgument } from '../../parts/shell-quote.model.ts'
import { useStable } from '../../parts/stable.ts'
import { useTopOf } from '../../parts/top-of.ts'
import { LetterBar } from './letter-bar.tsx'
import { LetterRow, rowHeight } from './letter-row.tsx'
import { newsText } from './news.model.ts'

/** Letters by a filter, however many: pages are fetched as one scrolls, and only what is in sight is drawn. */
export function LetterList({ filter }: { readonly filter: string }) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } = useInfiniteQuery(
    lettersQuery(filter),
  )
  const letters: readonly Letter[] = useMemo(() => data?.pages.flatMap((page) => page.letters) ?? [], [data])
  const chosen = useChosen<number>()
  const frame = useRef<HTMLDivElement>(null)
  const rows = useWindowVirtualizer({
    count: letters.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: useTopOf(frame),
  })
  const ids = useMemo(() => letters.map(({ id }) => id), [letters])
  const choose = useStable((id: number, extend: boolean) => (extend ? chosen.extend(id, ids) : chosen.toggle(id)))
  const { current, onFocus } = useRowKeys({ ids, chosen, reveal: (index) => rows.scrollToIndex(index) })
  const last = rows.getVirtualItems().at(-1)?.index ?? 0
  const wantsMore = hasNextPage && !isFetchingNextPage && !error && last >= letters.length - 50
  useEffect(() => {
    if (wantsMore) void fetchNextPage()
  }, [wantsMore, fetchNextPage])

  return (
    <>
      <LetterBar filter={filter} chosen={chosen} shown={ids} current={current} />
      <NewLetters filter={filter} asOf={data?.pages[0]?.asOf} onShow={chosen.clear} />
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!isPending && !error && letters.length === 0 && !hasNextPage && (
        <Empty title="No letter matches">
          {filter === ''
            ? 'The vault is empty. Letters come here from the sources as they die.'
            : 'Loosen the filter: each term narrows it.'}
        </Empty>
      )}
      <div
        ref={frame}
        role="table"
        aria-label="Letters"
        aria-rowcount={hasNextPage ? -1 : letters.length}
        className={letters.length > 0 ? 'rounded-lg border bg-surface' : ''}
      >
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }} onFocus={onFocus}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const letter = letters[index]
            return (
              letter && (
                <LetterRow
                  key={letter.id}
                  letter={letter}
                  index={index}
                  top={start - rows.options.scrollMargin}
                  isChosen={chosen.ids.has(letter.id)}
                  onChoose={choose}
                />
              )
            )
          })}
        </div>
      </div>
      {/* What stands below the first page is not what stood below nothing: so nothing is moved when it comes. */}
      <div key={isPending ? 'before' : 'after'}>
        <p className="mt-2 text-xs text-muted" aria-live="polite">
          {isPending || isFetchingNextPage
            ? 'Fetching…'
            : `${many(letters.length, 'letter')} ${hasNextPage ? 'so far; scroll for more' : 'in all'}`}
        </p>
        <CliLine command={`redrive letters ${filterArgument(filter)}`.trim()} />
      </div>
    </>
  )
}

interface NewLettersProps {
  readonly filter: string
  /** What had been told when the list was asked for. */
  readonly asOf: Told | undefined
  readonly onShow: () => void
}

/** What came meanwhile waits until somebody wants to see it: nothing moves under their hand. */
function NewLetters({ filter, asOf, onShow }: NewLettersProps) {
  const client = useQueryClient()
  const told = useTold()
  return (
    <ChangedLine
      text={asOf && newsText(asOf, told)}
      onShow={() => {
        onShow()
        void client.resetQueries({ queryKey: lettersQuery(filter).queryKey })
      }}
    />
  )
}
