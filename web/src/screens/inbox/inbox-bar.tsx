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
import { filterOfCauses, type Judged, judgedText, lettersOf, openLetters, reasonsAgainst } from './inbox.model.ts'

interface InboxBarProps {
  /** The causes that were selected; without any, the one that has the focus. */
  readonly meant: readonly Cause[]
  readonly chosen: Chosen<number>
  readonly shown: readonly Cause[]
  readonly filter: string
  /** Something was done to causes, so that they may belong elsewhere now. */
  readonly onJudged: () => void
}

/** What can be done to the causes that are meant. Its height does not change with them, so that nothing moves. */
export function InboxBar({ meant, chosen, shown, filter, onJudged }: InboxBarProps) {
  const { isAll } = chosen
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
  const cannotJudgeNow = cannotJudge ?? (change.isPending ? 'The last ones are being judged.' : undefined)
  const cannotReplay = reasons.replaying ?? lack('replays:make')
  const replay = (): void => {
    const wanted = isAll ? openLetters(filter) : filterOfCauses(meant, filter)
    go(`/replay?${new URLSearchParams({ filter: wanted })}`)
  }
  useActions([
    { name: 'Replay the letters of these causes', key: 'r', reason: cannotReplay, act: replay },
    { name: 'Archive these causes until they get worse', key: 'a', reason: cannotJudgeNow, act: () => change.judge('archived') },
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
            onChange={({ target }) => (target.checked ? chosen.set(shown.map(({ id }) => id)) : chosen.clear())}
          />
          {chosen.ids.size === 0
            ? `Select the ${many(shown.length, 'cause')} shown`
            : `${many(chosen.ids.size, 'cause')} selected, ${many(letters, filter === '' ? 'unresolved letter' : 'matching letter')}`}
        </label>
        <label className="flex items-center gap-2 text-sm max-sm:basis-full">
          <input
            type="checkbox"
            checked={isAll}
            onChange={({ target }) => (target.checked ? chosen.takeAll() : chosen.clear())}
          />
          Take all {allText ?? '…'}
          {filter === '' ? '' : ' that match'}, of causes in any state
        </label>
      </div>
      <div className="mb-2 flex min-h-8 flex-wrap gap-2">
        <Button look={chosen.ids.size > 0 || isAll ? 'primary' : 'plain'} reason={cannotReplay} onClick={replay}>
          Replay{isAll && ` ${numberText(letters)}`}…
        </Button>
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => change.judge('acknowledged')}>
          Acknowledge
        </Button>
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => change.judge('resolved')}>
          Resolve
        </Button>
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => change.judge('archived')}>
          Archive
        </Button>
      </div>
      {change.error && <Problem error={change.error} />}
    </>
  )
}

const judging = ['judge causes']

function useJudging(meant: readonly Cause[], onDone: () => void) {
  const say = useToast()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationKey: judging,
    mutationFn: async ({ causes, state }: Judged) => {
      for (const { id } of causes) await judge(id, state)
    },
    onSuccess: async (_, judged) => {
      await client.invalidateQueries({ queryKey: ['causes'] })
      onDone()
      say(judgedText(judged))
    },
  })
  return {
    isPending,
    error,
    judge(state: CauseState): void {
      // Asked here and not of what was drawn last: two keys may come before the next drawing.
      if (client.isMutating({ mutationKey: judging }) === 0) mutate({ causes: meant, state })
    },
  }
}
