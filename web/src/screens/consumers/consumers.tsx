import { useQuery } from '@tanstack/react-query'
import { type Consumer, consumersQuery } from '../../api/consumers.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { CliLine } from '../../parts/cli-line.tsx'
import { Empty } from '../../parts/empty.tsx'
import { many } from '../../parts/number.model.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'
import { type Column, Rows } from '../../parts/table.tsx'
import { ChannelRow } from './channel-row.tsx'

/** Their widths stay: states and numbers change all the time. */
const columns: readonly Column[] = [
  'Channel',
  { name: 'State', width: 'w-40' },
  { name: 'Received', is: 'number', width: 'w-24' },
  { name: 'Completed', is: 'number', width: 'w-24' },
  { name: 'Dead-lettered', is: 'number', width: 'w-28' },
  { name: 'Held or spooled', is: 'number', width: 'w-32' },
  { name: 'Actions', is: 'unseen', width: 'w-28' },
]

/** What runs out there, as it last reported; channels can be paused and resumed. */
export function ConsumersScreen() {
  const asked = useQuery(consumersQuery)
  const { data } = asked
  return (
    <>
      <PageHead
        title="Consumers"
        about="As each last reported. One that is not heard of any more is unknown: neither gone nor fine."
      />
      <Asked of={asked} />
      {data?.length === 0 && (
        <Empty title="No consumer reports">
          Give a consumer the option <code className="font-mono">controlPlane</code> with this address and a token of the role
          consumer. Then replays know what was processed, instead of assuming it.
        </Empty>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {data?.map((consumer) => (
          <OneConsumer key={consumer.id} consumer={consumer} />
        ))}
      </div>
      <CliLine command="redrive consumers" />
    </>
  )
}

function OneConsumer({ consumer }: { readonly consumer: Consumer }) {
  const { service, instance, version, environment, state, lastAt, spooled, hasAbandonedSpool, channels } = consumer
  return (
    <section className="overflow-x-auto rounded-lg border bg-surface">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
        <h2 className="font-semibold">
          {seen(service)} {version !== null && <span className="font-normal text-muted">{seen(version)}</span>}
        </h2>
        <span className="w-24">
          <State of={state} />
        </span>
        <span className="text-xs text-muted">
          heard of <Ago at={lastAt} />, {seen(environment)}, instance {seen(instance)}
        </span>
        {hasAbandonedSpool && (
          <span className="text-sm text-bad">✕ {many(spooled, 'letter')} wait on its disk, and nobody hears of it</span>
        )}
      </div>
      <Rows columns={columns} fixed="min-w-[48rem]">
        {channels.map((channel) => (
          <ChannelRow key={`${channel.name} ${channel.group}`} service={service} channel={channel} />
        ))}
      </Rows>
    </section>
  )
}
