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

/** What somebody is asked about, as it stood then: whatever is counted or comes meanwhile, it is done to this. */
interface Asked extends Wanted {
  /** "all 40 letters that match" */
  readonly which: string
  readonly count: number
}

interface Wanted {
  readonly verb: keyof typeof verbs
  readonly selection: Selection
}

const verbs = {
  discard: {
    ...{ action: 'Discard', done: 'discarded', run: discard },
    means: 'They are out of sight then, and can be restored until retention takes them. Nothing is sent.',
  },
  restore: {
    ...{ action: 'Restore', done: 'restored', run: restore },
    means: 'Those that were discarded are open again then. Nothing is sent.',
  },
} as const

/** What can be done to letters: those that were ticked, or all that match, which are two different things and are said to be. */
export function LetterBar({ filter, chosen, shown, current }: LetterBarProps) {
  const { isAll } = chosen
  const [asked, setAsked] = useState<Asked>()
  const lack = useLack()
  const [, go] = useLocation()
  const { data: all } = useQuery(countQuery(filter))
  const ids = chosen.ids.size > 0 ? [...chosen.ids] : current === undefined ? [] : [current]
  // What came after it was counted is not meant.
  const selection: Selection = isAll ? { filter, ...(all && { before: all.before }) } : { letters: ids }
  const count = isAll ? (all?.letters ?? 0) : ids.length
  const nothing = count === 0 ? 'Select letters first (x), or move to one (j, k).' : undefined
  const { change, act } = useChange(() => {
    chosen.clear()
    setAsked(undefined)
  })
  const cannotReplay = nothing ?? lack('replays:make')
  const cannotDiscard = nothing ?? lack('letters:discard')
  const allText = all && `${all.isAtLeast ? 'at least ' : ''}${numberText(all.letters)}`
  const ask = (verb: Asked['verb']): void => {
    const [only] = ids
    const which = isAll ? `all ${allText} letters that match` : ids.length === 1 ? `letter ${only}` : many(count, 'letter')
    setAsked({ verb, selection, which, count })
  }
  const replay = (): void => go(`/replay?${new URLSearchParams(isAll ? { filter } : { letters: ids.join() })}`)
  useActions([
    { name: 'Replay these letters', key: 'r', reason: cannotReplay, act: replay },
    { name: 'Discard these letters', key: 'a', reason: cannotDiscard, act: () => ask('discard') },
    {
      name: 'Edit this letter',
      key: 'e',
      reason: current === undefined ? 'Move to a letter first (j, k).' : lack('letters:edit'),
      act: () => go(`/letters/${current}/edit`),
    },
  ])
  return (
    <>
      {/* What is counted has a line of its own: no button moves when the count comes. */}
      <div className="mb-1 flex min-h-6 flex-wrap items-center gap-x-6 gap-y-1">
        <label className="flex items-center gap-2 text-sm max-sm:basis-full sm:min-w-52">
          <input
            type="checkbox"
            checked={!isAll && shown.length > 0 && chosen.ids.size === shown.length}
            onChange={({ target }) => (target.checked ? chosen.set(shown) : chosen.clear())}
          />
          Select the {numberText(shown.length)} shown
        </label>
        <label className="flex items-center gap-2 text-sm max-sm:basis-full">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ target }) => (target.checked ? chosen.takeAll() : chosen.clear())}
          />
          Select all {allText ?? '…'} that match
        </label>
      </div>
      <div className="flex min-h-8 flex-wrap gap-2">
        <Button look={count > 0 ? 'primary' : 'plain'} reason={cannotReplay} onClick={replay}>
          Replay{count > 0 && ` ${numberText(count)}`}…
        </Button>
        <Button reason={cannotDiscard} onClick={() => ask('discard')}>
          Discard…
        </Button>
        <Button
          reason={cannotDiscard}
          busy={change.isPending}
          onClick={() => (isAll ? ask('restore') : act({ verb: 'restore', selection }))}
        >
          Restore
        </Button>
      </div>
      {change.error && <Problem error={change.error} />}
      {asked && (
        <Confirm
          title={`${verbs[asked.verb].action} ${asked.which}?`}
          word={asked.count > 100 ? String(asked.count) : undefined}
          action={verbs[asked.verb].action}
          busy={change.isPending}
          onClose={() => setAsked(undefined)}
          onConfirm={() => act(asked)}
        >
          {verbs[asked.verb].means}
        </Confirm>
      )}
    </>
  )
}

function useChange(onDone: () => void) {
  const say = useToast()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: async ({ verb, selection }: Wanted) => ({ done: verbs[verb].done, ...(await verbs[verb].run(selection)) }),
    onSuccess: ({ done, letters }) => {
      onDone()
      say(letters === 0 ? `None of them could be ${done}: their state does not allow it.` : `${many(letters, 'letter')} ${done}.`)
      return Promise.all(
        ['letters', 'count', 'sources', 'causes', 'cause'].map((key) => client.invalidateQueries({ queryKey: [key] })),
      )
    },
  })
  return { change, act: (wanted: Wanted) => change.mutate(wanted) }
}
