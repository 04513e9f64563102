import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type CauseState, causeQuery, judge, noteCause, own } from '../../api/causes.ts'
import { useLack, useWho } from '../../api/session.ts'
import { Ago, useNow } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { Notes } from '../../parts/notes.tsx'
import { many, numberText } from '../../parts/number.model.ts'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { State } from '../../parts/state.tsx'
import { useActions } from '../../shell/actions.tsx'
import { useToast } from '../../shell/toast.tsx'
import { causeFilter } from '../letters/filter.model.ts'
import { LetterList } from '../letters/letter-list.tsx'
import { Distributions } from './distributions.tsx'
import { ResolveDialog } from './resolve-dialog.tsx'
import { Why } from './why.tsx'

/** One thing that is broken: what it is, how much of it there is, and what can be done. */
export function CauseScreen({ id }: { readonly id: number }) {
  const asked = useQuery(causeQuery(id))
  const { data, refetch } = asked
  const hour = Math.floor(useNow() / 3_600_000)
  const cannotNote = useLack()('causes:judge')
  if (!data) return <Asked of={asked} />
  const { cause, notes, history } = data
  const filter = causeFilter(cause.fingerprint)
  return (
    <>
      <PageHead title={seen(cause.title)} about={<About cause={cause} />}>
        <CauseActions cause={cause} />
      </PageHead>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="min-w-0">
          <Why parts={cause.parts} fingerprint={cause.fingerprint} />
          <Distributions filter={filter} />
        </div>
        <div className="min-w-0">
          <div className="rounded-lg border bg-surface p-3">
            <p className="mb-2 text-sm text-muted">The last week, hour by hour</p>
            <Sparkline hours={history} length={168} last={hour} isWide />
            <p className="mt-2 text-xs text-muted">
              first <Ago at={cause.firstAt} />, last <Ago at={cause.lastAt} />
              {cause.lastVersion !== null && `, last from version ${seen(cause.lastVersion)}`}
            </p>
          </div>
          <Section title="Notes">
            <Notes notes={notes} reason={cannotNote} write={(text) => noteCause(id, text)} onWritten={() => void refetch()} />
          </Section>
        </div>
      </div>
      <Section title="Its letters">
        <LetterList filter={filter} />
      </Section>
    </>
  )
}

type ShownCause = NonNullable<ReturnType<typeof useCause>>['cause']

function useCause(id: number) {
  return useQuery(causeQuery(id)).data
}

function About({ cause }: { readonly cause: ShownCause }) {
  const { state, unresolved, total, owner, fixedIn, regressedAt } = cause
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <State of={state} />
      {regressedAt !== null && <State of="regressed" text="came back after it was fixed" />}
      <span>{owner === null ? 'nobody looks after it' : `${seen(owner)} looks after it`}</span>
      {fixedIn !== null && <span>fixed in {seen(fixedIn)}</span>}
      {/* The last, because it grows while somebody reads. */}
      <span>
        <strong className={unresolved > 0 ? 'text-bad' : 'text-good'}>{numberText(unresolved)}</strong> unresolved of{' '}
        {many(total, 'letter')}
      </span>
    </span>
  )
}

function CauseActions({ cause }: { readonly cause: ShownCause }) {
  const { id, state, unresolved, owner, fingerprint } = cause
  const lack = useLack()
  const { name } = useWho()
  const say = useToast()
  const client = useQueryClient()
  const [, go] = useLocation()
  const [resolves, setResolves] = useState(false)
  const change = useMutation({
    mutationFn: ({ run }: { said: string; run: () => Promise<unknown> }) => run(),
    onSuccess: async (_, { said }) => {
      setResolves(false)
      say(said)
      await Promise.all(['cause', 'causes'].map((key) => client.invalidateQueries({ queryKey: [key] })))
    },
  })
  const cannotJudge = lack('causes:judge')
  const cannotReplay = unresolved === 0 ? 'None of its letters is unresolved.' : lack('replays:make')
  const to = (next: CauseState, said: string, fixedIn?: string): void =>
    change.mutate({ said, run: () => judge(id, next, fixedIn) })
  const replay = (): void => go(`/replay?${new URLSearchParams({ filter: `state:open ${causeFilter(fingerprint)}` })}`)
  useActions([
    { name: 'Replay all open letters of this cause', key: 'r', reason: cannotReplay, act: replay },
    {
      name: 'Archive this cause until it gets worse',
      key: 'a',
      reason: cannotJudge,
      act: () => to('archived', 'Archived until it gets worse.'),
    },
  ])
  return (
    <>
      <Button look="primary" reason={cannotReplay} onClick={replay}>
        Replay all…
      </Button>
      <Button reason={cannotJudge} onClick={() => setResolves(true)}>
        Fixed…
      </Button>
      {state === 'open' ? (
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => to('acknowledged', 'Acknowledged.')}>
          Acknowledge
        </Button>
      ) : (
        <Button reason={cannotJudge} busy={change.isPending} onClick={() => to('open', 'Open again.')}>
          Open again
        </Button>
      )}
      <Button reason={cannotJudge} busy={change.isPending} onClick={() => to('archived', 'Archived until it gets worse.')}>
        Archive
      </Button>
      {owner === name ? (
        <Button
          reason={cannotJudge}
          onClick={() => change.mutate({ said: 'Nobody looks after it now.', run: () => own(id, null) })}
        >
          Give it up
        </Button>
      ) : (
        <Button reason={cannotJudge} onClick={() => change.mutate({ said: 'It is yours.', run: () => own(id, name) })}>
          Take it
        </Button>
      )}
      {change.error && <Problem error={change.error} />}
      {resolves && (
        <ResolveDialog
          busy={change.isPending}
          onClose={() => setResolves(false)}
          onResolve={(fixedIn) => to('resolved', fixedIn === undefined ? 'Resolved.' : `Resolved in ${fixedIn}.`, fixedIn)}
        />
      )}
    </>
  )
}
