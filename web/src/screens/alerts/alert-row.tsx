import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { type Alert, alertsQuery, type Mark, mark, unmark } from '../../api/alerts.ts'
import type { Cause } from '../../api/causes.ts'
import { useLack, useSeesAll } from '../../api/session.ts'
import { Ago } from '../../parts/ago.tsx'
import { Button } from '../../parts/button.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { matchersFor, searchFor } from '../silences/silence.model.ts'
import { nextStep } from './alert.model.ts'

const hour = 3_600_000
const words: Readonly<Record<Mark, readonly [set: string, end: string, done: string]>> = {
  acknowledge: ['Acknowledge for a day', 'Not at it any more', 'is at it until'],
  snooze: ['Snooze for an hour', 'Wake it up', 'let it sleep until'],
}
const lengths: Readonly<Record<Mark, number>> = { acknowledge: 24 * hour, snooze: hour }

interface AlertRowProps {
  readonly alert: Alert
  /** As far as they are known, so that an alert about one can name it. */
  readonly causes: readonly Cause[] | undefined
  /** It is over, and stays so that nothing moves. */
  readonly isGone: boolean
}

export function AlertRow({ alert, causes, isGone }: AlertRowProps) {
  const { fingerprint, name, severity, message, source, phase, firedAt, unknownSince, isFlapping, mutedBy } = alert
  const client = useQueryClient()
  const next = nextStep(alert, causes)
  const lack = useLack()('alerts:manage')
  const cannot = isGone ? 'It is over.' : lack
  const cannotSilence = useSeesAll() ? undefined : 'A silence may cover any source; you were given some of them.'
  const [, go] = useLocation()
  const marks = { acknowledge: alert.acknowledged, snooze: alert.snoozed }
  const change = useMutation({
    mutationFn: (how: Mark) => (marks[how] ? unmark(fingerprint, how) : mark(fingerprint, how, Date.now() + lengths[how])),
    onSuccess: () => client.invalidateQueries({ queryKey: alertsQuery.queryKey }),
  })
  return (
    <li id={fingerprint} className="flex flex-wrap items-start justify-between gap-3 px-3 py-2">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {isGone ? <State of="resolved" text="over" /> : <State of={severity} />}
          {seen(name)} <span className="font-normal text-muted">{seen(source)}</span>
        </p>
        <p className="break-words">
          {seen(message)}{' '}
          {next && (
            <Link href={next.to} className="link">
              {next.text}
            </Link>
          )}
        </p>
        <p className="text-xs text-muted">
          {phase}, since <Ago at={firedAt} />
          {isFlapping && ', comes and goes'}
          {mutedBy !== null && `, not told because of ${mutedBy === 'silence' ? 'a silence' : 'a larger alert'}`}
          {unknownSince !== null && (
            <span className="text-warn">
              , unknown since <Ago at={unknownSince} />
            </span>
          )}
        </p>
        {(['acknowledge', 'snooze'] as const).map((how) => {
          const set = marks[how]
          return (
            set && (
              <p key={how} className="text-xs text-muted">
                {seen(set.by)} {words[how][2]} {new Date(set.until).toLocaleString()}
              </p>
            )
          )
        })}
        {change.error && <Problem error={change.error} />}
      </div>
      <span className="at-the-right flex flex-wrap gap-2">
        {(['acknowledge', 'snooze'] as const).map((how) => (
          <Button key={how} reason={cannot} busy={change.isPending} onClick={() => change.mutate(how)}>
            {words[how][marks[how] ? 1 : 0]}
            <span className="sr-only">: {seen(name)}</span>
          </Button>
        ))}
        <Button reason={cannot ?? cannotSilence} onClick={() => go(`/alerts/silences?${searchFor(matchersFor(alert))}`)}>
          Silence…<span className="sr-only">: {seen(name)}</span>
        </Button>
      </span>
    </li>
  )
}
