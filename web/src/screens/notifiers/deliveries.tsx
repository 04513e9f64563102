import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type Delivery, deliveriesQuery, redeliver } from '../../api/notifiers.ts'
import { useLack } from '../../api/session.ts'
import { Ago } from '../../parts/ago.tsx'
import { Asked } from '../../parts/asked.tsx'
import { Button } from '../../parts/button.tsx'
import { many } from '../../parts/number.model.ts'
import { Section } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/problem.tsx'
import { seen } from '../../parts/seen.model.ts'
import { State } from '../../parts/state.tsx'

/** What was said to whom. One that was given up is tried again by hand. */
export function Deliveries() {
  const asked = useInfiniteQuery(deliveriesQuery)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = asked
  const deliveries = data?.pages.flatMap((page) => page.deliveries) ?? []
  return (
    <Section title="What was said">
      <Asked of={asked} />
      {data && deliveries.length === 0 && <p className="text-muted">Nothing yet.</p>}
      {deliveries.length > 0 && (
        <ul className="divide-y rounded-lg border bg-surface">
          {deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="mt-2">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Older ones
          </Button>
        </div>
      )}
    </Section>
  )
}

const signs: Readonly<Record<Delivery['state'], readonly [of: string, text: string]>> = {
  waiting: ['sealing', 'waiting'],
  sent: ['succeeded', 'sent'],
  collapsed: ['skipped', 'told with another'],
  dead: ['failed', 'given up'],
}

function DeliveryRow({ delivery }: { readonly delivery: Delivery }) {
  const { id, sink, state, madeAt, attempts, problem, subject, status } = delivery
  const client = useQueryClient()
  const cannot = useLack()('alerts:manage')
  const again = useMutation({
    mutationFn: () => redeliver(id),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesQuery.queryKey }),
  })
  const [of, text] = signs[state]
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 px-3 py-2 text-sm">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex flex-wrap items-center gap-2">
          <State of={of} text={text} />
          <span className="break-words">{seen(subject)}</span>
        </p>
        <p className="text-xs text-muted">
          {status} to {seen(sink)}, <Ago at={madeAt} />
          {attempts > 0 && `, ${many(attempts, 'attempt')}`}
          {problem !== null && <span className="text-bad">, {seen(problem)}</span>}
        </p>
        {again.error && <Problem error={again.error} />}
      </div>
      {state === 'dead' && (
        <Button reason={cannot} busy={again.isPending} onClick={() => again.mutate()}>
          Try again
        </Button>
      )}
    </li>
  )
}
