import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Alert, alertsQuery } from '../../api/alerts.ts'
import { type Cause, causesQuery } from '../../api/causes.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { nextStep } from '../alerts/alert.model.ts'
import { worstAlerts } from './firing.model.ts'

/** What people are being told about, the worst first. Its place has always the same size: alerts come and go while somebody reads. */
export function Firing() {
  const asked = useQuery(alertsQuery)
  const { data } = asked
  const { data: open } = useQuery(causesQuery('open'))
  const firing = worstAlerts(data ?? [])
  return (
    <Section
      title={firing.length === 0 ? 'Alerts' : `Alerts: ${firing.length} ${firing.length === 1 ? 'fires' : 'fire'}`}
      aside={
        <Link href="/alerts" className="link text-sm">
          Acknowledge, snooze, silence
        </Link>
      }
    >
      <section
        aria-label="Alerts that fire"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys too
        tabIndex={0}
        className="h-61 overflow-y-auto rounded-lg border bg-surface"
      >
        <Asked of={asked} />
        {data && firing.length === 0 && <p className="p-3 text-good">✓ No alert fires.</p>}
        <ul className="divide-y">
          {firing.map((alert, place) => (
            // A place in the list shows another alert, instead of an alert taking another place.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <FiringAlert key={place} alert={alert} causes={open?.causes} />
          ))}
        </ul>
      </section>
    </Section>
  )
}

function FiringAlert({ alert, causes }: { readonly alert: Alert; readonly causes: readonly Cause[] | undefined }) {
  const { severity, message, firedAt, unknownSince, acknowledged } = alert
  const next = nextStep(alert, causes)
  const text = seen(message)
  return (
    // Each is as high as any other: what changes in one moves none.
    <li className="grid h-32 content-center items-center gap-x-3 px-3 sm:h-20 sm:grid-cols-[5rem_minmax(0,1fr)_6rem]">
      <span>
        <State of={severity} />
      </span>
      <span className="min-w-0">
        <span className="line-clamp-2 break-words" title={text}>
          {text}
        </span>
        {next && (
          <Link href={next.to} className="link block truncate" title={next.text}>
            {next.text}
          </Link>
        )}
      </span>
      <span className="min-w-0 text-xs text-muted sm:text-right">
        <span className="block truncate">
          {unknownSince === null ? (
            <>
              since <Ago at={firedAt} />
            </>
          ) : (
            <span className="text-warn">
              ? unknown since <Ago at={unknownSince} />
            </span>
          )}
        </span>
        {acknowledged && <span className="block truncate">{seen(acknowledged.by)} is at it</span>}
      </span>
    </li>
  )
}
