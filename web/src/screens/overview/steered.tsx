import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { consumersQuery } from '../../api/consumers.ts'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { Ordered } from '../consumers/ordered.tsx'
import { SteerButton } from '../consumers/steer-button.tsx'
import { steeredChannels } from './steered.model.ts'

/** What consumes, and stopping it while somebody mends what is behind it. */
export function Steered() {
  const { data } = useQuery(consumersQuery)
  const channels = steeredChannels(data ?? [])
  return (
    <Section
      title="Consumers"
      aside={
        <Link href="/consumers" className="link text-sm">
          Process by process
        </Link>
      }
    >
      {/* As high as one of them, so that the first that reports moves nothing. */}
      <ul className="min-h-14 divide-y rounded-lg border bg-surface">
        {data && channels.length === 0 && <li className="px-3 py-4 text-muted">None reports.</li>}
        {channels.map(({ service, name, group, states, order }) => (
          <li key={`${service} ${name} ${group}`} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
            <span className="min-w-0 flex-1 basis-40">
              <span className="font-mono break-all">{seen(name)}</span>
              <span className="block text-xs text-muted">
                {seen(service)}
                {group !== null && `, ${seen(group)}`}
              </span>
            </span>
            <span className="w-36">
              {states.map(({ state, processes }) => (
                <State key={state} of={state} text={processes === 1 ? state : `${processes} ${state}`} />
              ))}
              <Ordered order={order} />
            </span>
            <SteerButton service={service} channel={name} order={order} />
          </li>
        ))}
      </ul>
    </Section>
  )
}
