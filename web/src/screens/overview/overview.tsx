import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { causesQuery } from '../../api/causes.ts'
import { replaysQuery } from '../../api/replays.ts'
import { useSeesAll } from '../../api/session.ts'
import { flowQuery, sourcesQuery } from '../../api/sources.ts'
import { Asked } from '../../parts/asked.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { many, numberText } from '../../parts/number.model.ts'
import { PageHead, Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { totalOf } from '../../shell/total.model.ts'
import { SourcesTable } from '../sources/sources-table.tsx'
import { FailureRate } from './failure-rate.tsx'
import { Firing } from './firing.tsx'
import { FlowChart } from './flow-chart.tsx'
import { Steered } from './steered.tsx'

/** Is anything wrong, where, and is it getting better? */
export function OverviewScreen() {
  const asked = useQuery(sourcesQuery)
  const { data: sources } = asked
  const [hours, setHours] = useState(24)
  return (
    <>
      <PageHead title="Overview" about={<Verdict />} />
      <Asked of={asked} />
      {sources?.length === 0 && <Empty title="No source is connected">Sources are named in redrive.yaml.</Empty>}
      {sources && sources.length > 0 && <SourcesTable sources={sources} />}
      <CliLine command="redrive sources" />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 xl:grid-cols-2">
        {/* What does not grow stands above what does, so that no button moves away from under a hand. */}
        <div>
          <Firing />
          <Steered />
          <LargestCauses />
          <RunningReplays />
        </div>
        <div>
          <FailureRate hours={hours} />
          <Flow hours={hours} onHours={setHours} />
        </div>
      </div>
    </>
  )
}

/** The answer in one sentence, and what to do next. */
function Verdict() {
  const { data: sources } = useQuery(sourcesQuery)
  const { data: open } = useQuery(causesQuery('open'))
  if (!sources || !open) return 'Counting…'
  const { unresolved, isAtLeast } = totalOf(sources)
  if (unresolved === 0) return isAtLeast ? 'No letter is known, but not every broker can be asked.' : 'Nothing asks for you.'
  return (
    <>
      {isAtLeast && 'At least '}
      {many(unresolved, 'letter')} of {many(open.causes.length, 'open cause')}.{' '}
      <Link href="/" className="link">
        Look at what is broken
      </Link>
    </>
  )
}

function Flow({ hours, onHours }: { readonly hours: number; readonly onHours: (hours: number) => void }) {
  const seesAll = useSeesAll()
  const asked = useQuery({ ...flowQuery(hours), enabled: seesAll })
  const { data } = asked
  return (
    <Section
      title="What came and what was settled"
      aside={
        <label className="text-sm text-muted">
          <span className="sr-only">Window</span>
          <select className="field !min-h-7 !py-0" value={hours} onChange={({ target }) => onHours(Number(target.value))}>
            <option value={24}>last 24 hours</option>
            <option value={72}>last 3 days</option>
            <option value={168}>last week</option>
          </select>
        </label>
      }
    >
      {!seesAll && (
        <Empty title="Counted over all sources">You were given some of them; this picture is for those who see all.</Empty>
      )}
      {/* Its place is kept, so that nothing moves when it comes. */}
      <div className="min-h-56">
        <Asked of={asked} />
        {data && <FlowChart hours={data.hours} now={data.now} length={hours} />}
      </div>
    </Section>
  )
}

function LargestCauses() {
  const { data } = useQuery(causesQuery('open'))
  const waiting = (data?.causes ?? []).filter(({ unresolved }) => unresolved > 0)
  const largest = waiting.toSorted((one, other) => other.unresolved - one.unresolved).slice(0, 5)
  if (largest.length === 0) return null
  return (
    <Section title="The largest open causes">
      <ol className="divide-y rounded-lg border bg-surface">
        {largest.map(({ id, title, unresolved, parts }, place) => (
          // A place in the list shows another cause, instead of a cause taking another place.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={place} className="flex items-baseline gap-3 px-3 py-2">
            <strong className="w-14 shrink-0 text-right text-bad">{numberText(unresolved)}</strong>
            <span className="min-w-0">
              <Link href={`/causes/${id}`} className="block truncate font-medium hover:underline">
                {seen(title)}
              </Link>
              <span className="font-mono text-xs text-muted">{seen(parts.channel)}</span>
            </span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function RunningReplays() {
  const { data } = useInfiniteQuery(replaysQuery)
  const running = (data?.pages[0]?.replays ?? []).filter(({ state }) => !['done', 'cancelled'].includes(state))
  if (running.length === 0) return null
  return (
    <Section title="Replays that are not done">
      <ul className="divide-y rounded-lg border bg-surface">
        {running.map(({ id, name, state, letters }) => (
          <li key={id} className="flex items-center gap-3 px-3 py-2">
            <State of={state} />
            <Link href={`/replays/${id}`} className="min-w-0 truncate hover:underline">
              {seen(name)}
            </Link>
            <span className="ml-auto text-xs whitespace-nowrap text-muted">{many(letters, 'letter')}</span>
          </li>
        ))}
      </ul>
    </Section>
  )
}
