import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useLack, useSeesAll } from '../../api/session.ts'
import { endSilence, extendSilence, type Silence, silencesQuery } from '../../api/silences.ts'
import { useNow } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { durationText } from '../../parts/time.model.ts'
import { AlertTabs } from '../alerts/alert-tabs.tsx'
import { NewSilenceDialog } from './new-silence.tsx'
import { draftFrom, emptySilence, matcherText } from './silence.model.ts'

/** Which alerts nobody hears of, since when, until when, and because of whom. */
export function SilencesScreen() {
  const search = useSearch()
  const [, go] = useLocation()
  const asked = useQuery(silencesQuery)
  const { data } = asked
  const [draft, setDraft] = useState(() => draftFrom(search))
  const cannot = useCannot()
  const close = (): void => {
    setDraft(undefined)
    go('/alerts/silences', { replace: true })
  }
  return (
    <>
      <PageHead
        title="Silences"
        about="Alerts that fit a silence go on, and nobody is told about them. What a silence hides is still on the page of alerts."
      >
        <Button look="primary" reason={cannot} onClick={() => setDraft(emptySilence)}>
          New silence…
        </Button>
      </PageHead>
      <AlertTabs />
      <Asked of={asked} />
      {data?.length === 0 && (
        <Empty title="Nothing is silenced">
          Before planned work, silence what it will set off: by source, queue, rule or cause, for a time and with a reason.
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className="divide-y rounded-lg border bg-surface">
          {data.map((silence) => (
            <SilenceRow key={silence.id} silence={silence} cannot={cannot} />
          ))}
        </ul>
      )}
      {draft && cannot === undefined && <NewSilenceDialog start={draft} onClose={close} />}
      <CliLine command="redrive alerts silences" />
    </>
  )
}

function useCannot(): string | undefined {
  const lack = useLack()('alerts:manage')
  return useSeesAll() ? lack : 'A silence may cover any source; you were given some of them.'
}

const hour = 3_600_000

function SilenceRow({ silence, cannot }: { readonly silence: Silence; readonly cannot: string | undefined }) {
  const { id, matchers, reason, author, startsAt, endsAt, isActive, evenProtected } = silence
  const now = useNow()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: (how: 'extend' | 'end') => (how === 'end' ? endSilence(id) : extendSilence(id, endsAt + hour)),
    onSuccess: () =>
      Promise.all(['alerts', silencesQuery.queryKey[0]].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  })
  const name = matchers.map(matcherText).join(', ')
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-3 py-2">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2">
          <State of={isActive ? 'paused' : 'planned'} text={isActive ? 'silent' : 'not begun'} />
          <span className="font-mono break-all">{seen(name)}</span>
        </p>
        <p className="break-words">{seen(reason)}</p>
        <p className="text-xs text-muted">
          {seen(author)}, {isActive ? `ends in ${durationText(endsAt - now)}` : `begins in ${durationText(startsAt - now)}`} (
          {new Date(isActive ? endsAt : startsAt).toLocaleString()}){evenProtected && ', also what must not be missed'}
        </p>
        {change.error && <Problem error={change.error} />}
      </div>
      <span className="at-the-right flex flex-wrap gap-2">
        <Button reason={cannot} busy={change.isPending} onClick={() => change.mutate('extend')}>
          One hour more<span className="sr-only">: {seen(name)}</span>
        </Button>
        <Button reason={cannot} busy={change.isPending} onClick={() => change.mutate('end')}>
          End now<span className="sr-only">: {seen(name)}</span>
        </Button>
      </span>
    </li>
  )
}
