import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { countQuery, discard, restore, type Selection } from '../../api/letters.ts'
import { useLack } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { many, numberText } from '../../parts/number.model.ts'
import { Problem } from '../../parts/problem.tsx'
import type { Chosen } from '../../parts/selection.ts'
import { useActions } from '../../shell/actions.tsx'
import { useToast } from '../../shell/toast.tsx'

interface LetterBarProps {
  readonly filter: string
  readonly chosen: Chosen<number>
  readonly shown: readonly number[]
  readonly current: number | undefined
}

/** What can be done to letters: those that were ticked, or all that match, which are two different things and are said to be. */
export function LetterBar({ filter, chosen, shown, current }: LetterBarProps) {
  const [isAll, setAll] = useState(false)
  const [asks, setAsks] = useState(false)
  const lack = useLack()
  const [, go] = useLocation()
  const { data: all } = useQuery(countQuery(filter))
  const ids = chosen.ids.size > 0 ? [...chosen.ids] : current === undefined ? [] : [current]
  const selection: Selection = isAll ? { filter } : { letters: ids }
  const count = isAll ? (all?.letters ?? 0) : ids.length
  const nothing = count === 0 ? 'Select letters first (x), or move to one (j, k).' : undefined
  const { change, act } = useChange(() => {
    chosen.clear()
    setAll(false)
    setAsks(false)
  })
  const cannotReplay = nothing ?? lack('replays:make')
  const cannotDiscard = nothing ?? lack('letters:discard')
  const replay = (): void => go(`/replay?${new URLSearchParams(isAll ? { filter } : { letters: ids.join() })}`)
  useActions([
    { name: 'Replay these letters', key: 'r', reason: cannotReplay, act: replay },
    { name: 'Discard these letters', key: 'a', reason: cannotDiscard, act: () => setAsks(true) },
    {
      name: 'Edit this letter',
      key: 'e',
      reason: current === undefined ? 'Move to a letter first (j, k).' : lack('letters:edit'),
      act: () => go(`/letters/${current}/edit`),
    },
  ])
  const allText = all && `${all.isAtLeast ? 'at least ' : ''}${numberText(all.letters)}`
  return (
    <>
      {/* What is counted has a line of its own: no button moves when the count comes. */}
      <div className="mb-1 flex min-h-6 flex-wrap items-center gap-x-6 gap-y-1">
        <label className="flex items-center gap-2 text-sm max-sm:basis-full sm:min-w-52">
          <input
            type="checkbox"
            checked={!isAll && shown.length > 0 && chosen.ids.size === shown.length}
            onChange={({ target }) => {
              setAll(false)
              target.checked ? chosen.set(shown) : chosen.clear()
            }}
          />
          Select the {numberText(shown.length)} shown
        </label>
        <label className="flex items-center gap-2 text-sm max-sm:basis-full">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ target }) => {
              chosen.clear()
              setAll(target.checked)
            }}
          />
          Select all {allText ?? '…'} that match
        </label>
      </div>
      <div className="flex min-h-8 flex-wrap gap-2">
        <Button look={count > 0 ? 'primary' : 'plain'} reason={cannotReplay} onClick={replay}>
          Replay{count > 0 && ` ${numberText(count)}`}…
        </Button>
        <Button reason={cannotDiscard} onClick={() => setAsks(true)}>
          Discard…
        </Button>
        <Button reason={cannotDiscard} busy={change.isPending} onClick={() => act('restored', () => restore(selection))}>
          Restore
        </Button>
      </div>
      {change.error && <Problem error={change.error} />}
      {asks && (
        <Confirm
          title={`Discard ${isAll ? `all ${allText} letters that match` : many(count, 'letter')}?`}
          word={count > 100 ? String(count) : undefined}
          action="Discard"
          busy={change.isPending}
          onClose={() => setAsks(false)}
          onConfirm={() => act('discarded', () => discard(selection))}
        >
          They are out of sight then, and can be restored until retention takes them. Nothing is sent.
        </Confirm>
      )}
    </>
  )
}

function useChange(onDone: () => void) {
  const say = useToast()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: async ({ done, run }: { done: string; run: () => Promise<{ letters: number }> }) => ({ done, ...(await run()) }),
    onSuccess: ({ done, letters }) => {
      onDone()
      say(letters === 0 ? `None of them could be ${done}: their state does not allow it.` : `${many(letters, 'letter')} ${done}.`)
      return Promise.all(
        ['letters', 'count', 'sources', 'causes', 'cause'].map((key) => client.invalidateQueries({ queryKey: [key] })),
      )
    },
  })
  return { change, act: (done: string, run: () => Promise<{ letters: number }>) => change.mutate({ done, run }) }
}
