import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { failureRatesQuery } from '../../api/consumers.ts'
import { rulesQuery } from '../../api/rules.ts'
import { useSeesAll } from '../../api/session.ts'
import { Asked } from '../../parts/asked.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { FailureChart } from './failure-chart.tsx'
import { everyStep, nameOf, thresholdsOf, worstFirst } from './failure-rate.model.ts'

/** As many as the server tells. */
const steps = 96
const all = ''

/** How much of what consumers take they give up, beside the limits at which people are told. */
export function FailureRate({ hours }: { readonly hours: number }) {
  const seesAll = useSeesAll()
  const asked = useQuery({ ...failureRatesQuery(hours), enabled: seesAll })
  const { data } = asked
  const { data: rules = [] } = useQuery(rulesQuery)
  const [chosen, setChosen] = useState<string>()
  const channels = worstFirst(data?.channels ?? [])
  const [worst] = channels
  // The worst is shown until somebody wants another: a mean over all hides it.
  const name = chosen ?? (worst ? nameOf(worst) : all)
  const shown = channels.filter((channel) => name === all || nameOf(channel) === name)
  return (
    <Section
      title="Dead-lettered, of what was handled"
      aside={
        channels.length > 0 && (
          <label className="min-w-0 text-sm text-muted">
            <span className="sr-only">Consumer and channel</span>
            <select className="field !min-h-7 max-w-64 !py-0" value={name} onChange={({ target }) => setChosen(target.value)}>
              {channels.map((channel) => (
                <option key={nameOf(channel)} value={nameOf(channel)}>
                  {seen(nameOf(channel))}
                </option>
              ))}
              <option value={all}>all of them</option>
            </select>
          </label>
        )
      }
    >
      {/* Its place is kept, so that nothing moves when it comes. */}
      <div className="min-h-56">
        <Asked of={asked} />
        {data && channels.length > 0 && (
          <FailureChart steps={everyStep(shown, data, steps)} step={data.step} thresholds={thresholdsOf(rules)} />
        )}
        {data && channels.length === 0 && (
          <Empty title="Not known yet">
            Consumers that report say what they handle. Give them the option <code className="font-mono">controlPlane</code>.
          </Empty>
        )}
        {!seesAll && <Empty title="Counted over all sources">You were given some of them.</Empty>}
      </div>
    </Section>
  )
}
