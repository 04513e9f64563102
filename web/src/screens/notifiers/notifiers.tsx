import { useMutation, useQuery } from '@tanstack/react-query'
import { type Notifier, notifiersQuery, testNotifier } from '../../api/notifiers.ts'
import { useLack, useSeesAll } from '../../api/session.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { numberText } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { AlertTabs } from '../alerts/alert-tabs.tsx'
import { Deliveries } from './deliveries.tsx'

/** Who is told, whether it reaches them, and what was said. */
export function NotifiersScreen() {
  const seesAll = useSeesAll()
  const asked = useQuery({ ...notifiersQuery, enabled: seesAll })
  const { data } = asked
  return (
    <>
      <PageHead
        title="Notifiers"
        about="Who is told about alerts, and what reached them. Their addresses and secrets stay in redrive.yaml."
      />
      <AlertTabs />
      <Asked of={asked} />
      {!seesAll && <Empty title="It concerns all sources">You were given some of them.</Empty>}
      {data?.length === 0 && (
        <Empty title="Nobody is told">
          Alerts are only seen by who looks. Name mail, webhook, Slack, Teams, PagerDuty or Alertmanager in{' '}
          <code className="font-mono">redrive.yaml</code> under <code className="font-mono">notifiers</code>.
        </Empty>
      )}
      {data && data.length > 0 && (
        <ul className="divide-y rounded-lg border bg-surface">
          {data.map((notifier) => (
            <NotifierRow key={notifier.name} notifier={notifier} />
          ))}
        </ul>
      )}
      <CliLine command="redrive notifiers" />
      {seesAll && <Deliveries />}
    </>
  )
}

function NotifierRow({ notifier: { name, kind, target, waiting, dead, failingSince } }: { readonly notifier: Notifier }) {
  const cannot = useLack()('alerts:manage')
  const test = useMutation({ mutationFn: () => testNotifier(name) })
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-3 py-2">
      <div className="min-w-0 flex-1 basis-72">
        <p>
          <span className="font-medium">{seen(name)}</span>{' '}
          <span className="text-muted">
            {seen(kind)}, {seen(target)}
          </span>
        </p>
        <p className="text-xs text-muted">
          {numberText(waiting)} waiting, {numberText(dead)} given up
          {failingSince !== null && (
            <span className="text-bad">
              , ✕ fails since <Ago at={failingSince} />
            </span>
          )}
        </p>
        <p role="status" className="text-sm">
          {test.data?.sent && <span className="text-good">✓ The test was taken. Look whether it arrived.</span>}
          {test.data && !test.data.sent && <span className="text-bad">✕ {seen(test.data.problem ?? 'It did not arrive.')}</span>}
        </p>
        {test.error && <Problem error={test.error} />}
      </div>
      <span className="at-the-right">
        <Button reason={cannot} busy={test.isPending} onClick={() => test.mutate()}>
          Send a test<span className="sr-only"> to {seen(name)}</span>
        </Button>
      </span>
    </li>
  )
}
