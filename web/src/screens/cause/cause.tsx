import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import {
  type CauseDetail,
  type CauseState,
  causeQuery,
  judge,
  mergeCauses,
  noteCause,
  own,
  splitCause,
  undoDecision,
} from '../../api/causes.ts'
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
import { Decisions } from './decisions.tsx'
import { Distributions } from './distributions.tsx'
import { MergeDialog, SplitDialog } from './regroup-dialogs.tsx'
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
  const filter = cause.mergedInto === null ? `under:${cause.id}` : causeFilter(cause.fingerprint)
  const shownNotes = notes.map((note) => (note.cause === id ? note : { ...note, actor: `${note.actor} on cause ${note.cause}` }))
  return (
    <>
      <PageHead title={seen(cause.title)} about={<About cause={cause} />}>
        <CauseActions detail={data} />
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
          <RegroupedHere detail={data} />
          <Section title="Notes">
            <Notes
              notes={shownNotes}
              reason={cannotNote}
              write={(text) => noteCause(id, text)}
              onWritten={() => void refetch()}
            />
          </Section>
        </div>
      </div>
      <Section title="Its letters">
        <LetterList filter={filter} />
      </Section>
    </>
  )
}

type ShownDetail = CauseDetail & { readonly etag: string | undefined }
type ShownCause = CauseDetail['cause']

/** What was said about it, with the way back. */
function RegroupedHere({ detail: { cause, decisions } }: { readonly detail: ShownDetail }) {
  const cannotJudge = useLack()('causes:judge')
  const change = useChange()
  return (
    <Decisions
      {...{ cause, decisions }}
      reason={cannotJudge}
      busy={change.isPending}
      error={change.error}
      onUndo={(decision, why) => change.mutateAsync({ said: 'Undone.', run: () => undoDecision(decision, why) })}
    />
  )
}

/** Something is said about causes: what was asked about them is asked again. */
function useChange(onDone?: () => void) {
  const say = useToast()
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run }: { said: string; run: () => Promise<unknown> }) => run(),
    onSuccess: async (_, { said }) => {
      onDone?.()
      say(said)
      await Promise.all(['cause', 'causes', 'letters'].map((key) => client.invalidateQueries({ queryKey: [key] })))
    },
  })
}

function About({ cause }: { readonly cause: ShownCause }) {
  const { state, unresolved, total, owner, fixedIn, regressedAt, mergedInto } = cause
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <State of={state} />
      {mergedInto !== null && (
        <Link href={`/causes/${mergedInto}`} className="link">
          stands under cause {mergedInto}
        </Link>
      )}
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

type Open = 'resolve' | 'merge' | 'split'

function CauseActions({ detail }: { readonly detail: ShownDetail }) {
  const { cause, members, etag } = detail
  const { id, state, unresolved, owner, mergedInto } = cause
  const lack = useLack()
  const { name } = useWho()
  const [, go] = useLocation()
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  const change = useChange(close)
  const { isPending: busy, error } = change
  const under = mergedInto === null ? undefined : `It stands under cause ${mergedInto}.`
  const cannotJudge = under ?? lack('causes:judge')
  const cannotSplit = lack('causes:judge')
  const cannotReplay = unresolved === 0 ? 'None of its letters is unresolved.' : lack('replays:make')
  const to = (next: CauseState, said: string, fixedIn?: string): void =>
    change.mutate({ said, run: () => judge(id, next, fixedIn) })
  const replay = (): void => go(`/replay?${new URLSearchParams({ filter: `state:open under:${id}` })}`)
  useActions([
    { name: 'Replay all open letters of this cause', key: 'r', reason: cannotReplay, act: replay },
    {
      name: 'Archive this cause until it gets worse',
      key: 'a',
      reason: cannotJudge,
      act: () => to('archived', 'Archived until it gets worse.'),
    },
    { name: 'Merge another cause into this one', key: 'm', reason: cannotJudge, act: () => setOpen('merge') },
    { name: 'Split letters off as another cause', key: 's', reason: cannotSplit, act: () => setOpen('split') },
  ])
  return (
    <>
      <Button look="primary" reason={cannotReplay} onClick={replay}>
        Replay all…
      </Button>
      <Button reason={cannotJudge} onClick={() => setOpen('resolve')}>
        Fixed…
      </Button>
      {state === 'open' ? (
        <Button reason={cannotJudge} busy={busy} onClick={() => to('acknowledged', 'Acknowledged.')}>
          Acknowledge
        </Button>
      ) : (
        <Button reason={cannotJudge} busy={busy} onClick={() => to('open', 'Open again.')}>
          Open again
        </Button>
      )}
      <Button reason={cannotJudge} busy={busy} onClick={() => to('archived', 'Archived until it gets worse.')}>
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
      <Button reason={cannotJudge} onClick={() => setOpen('merge')}>
        Merge…
      </Button>
      <Button reason={cannotSplit} onClick={() => setOpen('split')}>
        Split…
      </Button>
      {error && open !== 'merge' && open !== 'split' && <Problem error={error} />}
      {open === 'merge' && (
        <MergeDialog
          {...{ cause, busy, error }}
          onClose={close}
          onMerge={(other, why) =>
            change.mutate({ said: `Merged: cause ${other} is this one.`, run: () => mergeCauses(id, [other], why, etag) })
          }
        />
      )}
      {open === 'split' && (
        <SplitDialog
          {...{ cause, members, busy, error }}
          onClose={close}
          onSplit={(from, rule, why) => change.mutate({ said: 'Split off.', run: () => splitCause(from, rule, why) })}
        />
      )}
      {open === 'resolve' && (
        <ResolveDialog
          busy={busy}
          onClose={close}
          onResolve={(fixedIn) => to('resolved', fixedIn === undefined ? 'Resolved.' : `Resolved in ${fixedIn}.`, fixedIn)}
        />
      )}
    </>
  )
}
