import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { type Cause, type CauseState, judge } from '../../api/causes.ts'
import { countQuery } from '../../api/letters.ts'
import { useLack } from '../../api/session.ts'
import { Button } from '../../parts/button.tsx'
import { many, numberText } from '../../parts/number.model.ts'
import { Problem } from '../../parts/problem.tsx'
import type { Chosen } from '../../parts/selection.ts'
import { useActions } from '../../shell/actions.tsx'
import { useToast } from '../../shell/toast.tsx'
import { filterOfCauses, lettersOf, openLetters, reasonsAgainst } from './inbox.model.ts'

interface InboxBarProps {
  /** The causes that were selected; without any, the one that has the focus. */
  readonly meant: readonly Cause[]
  readonly chosen: Chosen<number>
  readonly shown: readonly Cause[]
  readonly filter: string
  /** Everything that matches is meant, and not what is on the page. */
  readonly isAll: boolean
  readonly onAll: (isAll: boolean) => void
  /** Something was done to causes, so that they may belong elsewhere now. */
  readonly onJudged: () => void
}

/** What can be done to the causes that are meant. Its height does not change with them, so that nothing moves. */
export function InboxBar({ meant, chosen, shown, filter, isAll, onAll, onJudged }: InboxBarProps) {
  const lack = useLack()
  const [, go] = useLocation()
  const { data: all } = useQuery(countQuery(openLetters(filter)))
  const change = useJudging(meant, () => {
    chosen.clear()
    onJudged()
  })
  const letters = isAll ? (all?.letters ?? 0) : meant.reduce((sum, cause) => sum + lettersOf(cause), 0)
  const reasons = reasonsAgainst({ isAll, causes: meant.length, letters })
  const cannotJudge = reasons.judging ?? lack('causes:judge')
  const cannotReplay = reasons.replaying ?? lack('replays:make')
  const replay = (): void => {
    const wanted = isAll ? openLetters(filter) : filterOfCauses(meant, filter)
    go(`/replay?${new URLSearchParams({ filter: wanted })}`)
  }
  useActions([
    { name: 'Replay the letters of these causes', key: 'r', reason: cannotReplay, act: replay },
    { name: 'Archive these causes until they get worse', key: 'a', reason: cannotJudge, act: () => change.mutate('archived') },
  ])
  const allText = all && `${all.isAtLeast ? 'at least ' : ''}${many(all.letters, 'open letter')}`
  return (
    <>
      {/* What is counted has a line of its own: no button moves when the count comes. */}
      <div className="mb-1 flex min-h-6 flex-wrap items-center gap-x-6 gap-y-1">
        <label className="flex items-center gap-2 text-sm max-sm:basis-full sm:min-w-52">
          <input
            type="checkbox"
            checked={!isAll && shown.length > 0 && chosen.ids.size === shown.length}
            onChange={({ target }) => {
              onAll(false)
              target.checked ? chosen.set(shown.map(({ id }) => id)) : chosen.clear()
            }}
          />
          {chosen.ids.size === 0
            ? `Select the ${many(shown.length, 'cause')} shown`
            : `${many(chosen.ids.size, 'cause')} selected, ${many(letters, filter === '' ? 'unresolved letter' : 'matching letter')}`}
        </label>
        <label className="flex items-center gap-2 text-sm max-sm:basis-full">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ target }) => {
              chosen.clear()
              onAll(target.checked)
            }}
          />
          Take all {allText ?? '…'}
          {filter === '' ? '' : ' that match'}, of causes in any state
        </label>
      </div>
      <div className="mb-2 flex min-h-8 flex-wrap gap-2">
        <Button look={chosen.ids.size > 0 || isAll ? 'primary' : 'plain'} reason={cannotReplay} onClick={replay}>
          Replay{isAll && ` ${numberText(letters)}`}…
        </Button>
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => change.mutate('acknowledged')}>
          Acknowledge
        </Button>
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => change.mutate('resolved')}>
          Resolve
        </Button>
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => change.mutate('archived')}>
          Archive
        </Button>
      </div>
      {change.error && <Problem error={change.error} />}
    </>
  )
}

function useJudging(meant: readonly Cause[], onDone: () => void) {
  const say = useToast()
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (state: CauseState) => {
      for (const { id } of meant) await judge(id, state)
      return { state, count: meant.length }
    },
    onSuccess: async ({ state, count }) => {
      await client.invalidateQueries({ queryKey: ['causes'] })
      onDone()
      say(`${many(count, 'cause')} ${state === 'open' ? 'open again' : state}.`)
    },
  })
}
