import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { causeStates, causesQuery } from '../../api/causes.ts'
import { Ago, useNow } from '../../parts/ago.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Changed, useInPlace } from '../../parts/in-place.tsx'
import { many } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { useRowKeys } from '../../parts/row-keys.ts'
import { useChosen } from '../../parts/selection.ts'
import { filterArgument } from '../../parts/shell-quote.model.ts'
import { useStable } from '../../parts/stable.ts'
import { FilterField } from '../letters/filter-field.tsx'
import { CauseRow } from './cause-row.tsx'
import { type InboxView, searchOf, sortedCauses, sorts, viewOf } from './inbox.model.ts'
import { InboxBar } from './inbox-bar.tsx'
import { NothingDead } from './nothing-dead.tsx'

const quick = ['', 'age<1h', 'state:unknown', 'attempts>=3'] as const

/** What is broken: causes, and not letters, because that is what a person mends. */
export function InboxScreen() {
  const view = viewOf(useSearch())
  const [, go] = useLocation()
  const { data, error, isPlaceholderData, isFetching, dataUpdatedAt, refetch } = useQuery({
    ...causesQuery(view.state, view.filter),
    placeholderData: keepPreviousData,
  })
  const chosen = useChosen<number>()
  const sorted = useMemo(() => sortedCauses(data?.causes ?? [], view.sort), [data, view.sort])
  const list = useInPlace(sorted, { idOf: ({ id }) => id, of: `${data?.of} ${view.sort}`, isComing: isFetching })
  const { rows, gone, show: showAgain } = list
  const ids = rows.map(({ id }) => id)
  const { current, onFocus } = useRowKeys({ ids, chosen })
  const choose = useStable((id: number, extend: boolean) => (extend ? chosen.extend(id, ids) : chosen.toggle(id)))
  const hour = Math.floor(useNow() / 3_600_000)

  const show = (change: Partial<InboxView>): void => {
    chosen.clear()
    const search = searchOf({ ...view, ...change })
    go(search === '' ? '/' : `/?${search}`, { replace: true })
  }
  const meant = rows.filter(({ id }) => (chosen.ids.size > 0 ? chosen.ids.has(id) : id === current))

  return (
    <>
      <PageHead title="Inbox" about="Letters that failed for the same reason are one cause. Mend it, then replay them." />
      <div className="mb-3 flex flex-wrap items-end gap-3">
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">State of the causes</legend>
          {[...causeStates, undefined].map((state) => (
            <label
              key={state ?? 'all'}
              className="cursor-pointer rounded-md border border-transparent px-2.5 py-1 has-checked:border-control has-checked:bg-surface has-checked:font-semibold has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="state"
                className="sr-only"
                checked={view.state === state}
                onChange={() => show({ state })}
              />
              {state ?? 'all'}
            </label>
          ))}
        </fieldset>
        <label className="flex items-center gap-2 text-sm text-muted">
          Sorted by
          <select
            className="field"
            value={view.sort}
            onChange={({ target }) => show({ sort: sorts.find((each) => each === target.value) ?? 'newest' })}
          >
            {sorts.map((sort) => (
              <option key={sort}>{sort}</option>
            ))}
          </select>
        </label>
      </div>
      <FilterField
        key={view.filter}
        filter={view.filter}
        onFilter={(filter) => show({ filter })}
        label="Only causes with letters that match"
        quick={quick}
      />
      {error && <Problem error={error} retry={() => void refetch()} />}
      <InboxBar meant={chosen.isAll ? [] : meant} chosen={chosen} shown={rows} filter={view.filter} onJudged={showAgain} />
      <Changed list={list} what="cause" />
      {!data && !error && <p className="text-muted">Looking for causes…</p>}
      {/* Another list is another piece of the page: what stood below the last one is not moved, it is gone. */}
      {data && (
        <div key={data.of} aria-busy={isPlaceholderData} className="aria-busy:opacity-60">
          {rows.length > 0 && (
            <div role="table" aria-label="Causes" className="rounded-lg border bg-surface">
              <div role="rowgroup" className="divide-y" onFocus={onFocus}>
                {rows.map((cause, index) => (
                  <CauseRow
                    key={cause.id}
                    cause={cause}
                    index={index}
                    isChosen={chosen.ids.has(cause.id)}
                    isGone={gone.has(cause)}
                    onChoose={choose}
                    hour={hour}
                  />
                ))}
              </div>
            </div>
          )}
          {!isPlaceholderData && rows.length === 0 && <NothingDead view={view} onClear={() => show({ filter: '' })} />}
          <p className="mt-2 text-xs text-muted">
            {isPlaceholderData ? 'Looking for others…' : many(rows.length, 'cause')}
            {data.hasMore && ', the newest thousand of them'}
            {data.isPartial && ', by the first 100,000 letters that match: there may be more'}
            {dataUpdatedAt > 0 && (
              <>
                , as of <Ago at={dataUpdatedAt} />
              </>
            )}
          </p>
          <CliLine
            command={['redrive causes', view.state && `--state ${view.state}`, filterArgument(view.filter)]
              .filter(Boolean)
              .join(' ')}
          />
        </div>
      )}
    </>
  )
}
