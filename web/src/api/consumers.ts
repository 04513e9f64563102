import { queryOptions } from '@tanstack/react-query'
import { type Answer, call } from './client.ts'

export type Consumer = Answer<'GET /consumers'>['consumers'][number]
export type ConsumerChannel = Consumer['channels'][number]

/** As often as most consumers report. */
const askEvery = 5000

export const consumersQuery = queryOptions({
  queryKey: ['consumers'],
  queryFn: everyConsumer,
  refetchInterval: askEvery,
})

/** All pages: a screen shows what is wrong with any of them. */
async function everyConsumer(): Promise<readonly Consumer[]> {
  const consumers: Consumer[] = []
  for (let cursor: string | undefined; ; ) {
    const page: Answer<'GET /consumers'> = await call('GET /consumers', { query: { limit: 200, ...(cursor && { cursor }) } })
    consumers.push(...page.consumers)
    cursor = page.next
    if (cursor === undefined) return consumers
  }
}

/** What they took and gave up, as the rules about ratios see it. */
export const failureRatesQuery = (hours: number) =>
  queryOptions({
    queryKey: ['failure-rates', hours],
    queryFn: () => call('GET /failure-rates', { query: { hours } }),
    refetchInterval: 60_000,
  })

export function steer(order: 'pause' | 'resume', service: string, channel: string): Promise<unknown> {
  return call(`POST /consumers/${order}`, { body: { service, channel } })
}
