import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Alert, alertsQuery } from '../../api/alerts.ts'
import { causesQuery } from '../../api/causes.ts'
import { Asked } from '../../parts/asked.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { changeText } from '../../parts/in-place.model.ts'
import { ChangedLine, useInPlace } from '../../parts/in-place.tsx'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { inOrder } from './alert.model.ts'
import { AlertRow } from './alert-row.tsx'
import { AlertTabs } from './alert-tabs.tsx'

/** What the control plane alerts about now, and who is at it. */
export function AlertsScreen() {
  const asked = useQuery(alertsQuery)
  const { data = [], isFetching } = asked
  const { first, rest } = inOrder(data)
  const told = useInPlace(first, { idOf, of: 'told', isComing: isFetching })
  const aside = useInPlace(rest, { idOf, of: 'aside', isComing: isFetching })
  const shown = told.rows.length + aside.rows.length
  return (
    <>
      <PageHead
        title="Alerts"
        about="What people are being told about now, the worst first. Acknowledged, it is not repeated; snoozed, nobody hears of it for a while."
      />
      <AlertTabs />
      <Asked of={asked} />
      {asked.data && shown === 0 && (
        <Empty title="✓ No alert is open">
          The sources go on being asked, by{' '}
          <Link href="/alerts/rules" className="link">
            these rules
          </Link>
          .
        </Empty>
      )}
      {asked.data && (
        <ChangedLine
          text={changeText(told, 'alert') ?? changeText(aside, 'alert')}
          onShow={() => {
            told.show()
            aside.show()
          }}
        />
      )}
      <AlertRows alerts={told.rows} all={data} />
      <CliLine command="redrive alerts" />
      {/* The last on the page: it comes and goes while somebody reads. */}
      {aside.rows.length > 0 && (
        <Section title="Not told: it may pass, or a larger alert speaks for it">
          <AlertRows alerts={aside.rows} all={data} />
        </Section>
      )}
    </>
  )
}

function idOf({ fingerprint }: Alert): string {
  return fingerprint
}

interface AlertRowsProps {
  readonly alerts: readonly Alert[]
  /** As they are now, wherever they belong. */
  readonly all: readonly Alert[]
}

function AlertRows({ alerts, all }: AlertRowsProps) {
  const { data: open } = useQuery(causesQuery('open'))
  const latest = new Map(all.map((alert) => [alert.fingerprint, alert]))
  if (alerts.length === 0) return null
  return (
    <ul className="divide-y rounded-lg border bg-surface">
      {alerts.map((alert) => {
        const now = latest.get(alert.fingerprint)
        return <AlertRow key={alert.fingerprint} alert={now ?? alert} causes={open?.causes} isGone={now === undefined} />
      })}
    </ul>
  )
}
