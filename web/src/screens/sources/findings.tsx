import { useQuery } from '@tanstack/react-query'
import { type Finding, findingsQuery } from '../../api/sources.ts'
import { Asked } from '../../parts/asked.tsx'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'

const signs: Readonly<Record<Finding['severity'], string>> = {
  fatal: 'critical',
  missing: 'critical',
  warning: 'warning',
  unknown: 'unknown',
  created: 'info',
}

/** How the channels are set up on their brokers, as far as letters could be lost by it. */
export function Findings() {
  const asked = useQuery(findingsQuery)
  const { data } = asked
  return (
    <Section title="How they are set up on their brokers">
      <Asked of={asked} />
      {data?.length === 0 && <p className="text-good">✓ Nothing was found by which letters could be lost.</p>}
      {data && data.length > 0 && (
        <ul className="divide-y rounded-lg border bg-surface">
          {data.map(({ id, connection, channel, part, severity, what, message }) => (
            <li key={`${id} ${what} ${message}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2 text-sm">
              <State of={signs[severity]} text={severity} />
              <span className="font-mono">{seen(`${connection}/${channel}${part === '' ? '' : `/${part}`}`)}</span>
              <span className="min-w-0 flex-1 basis-72 break-words">{seen(message)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
