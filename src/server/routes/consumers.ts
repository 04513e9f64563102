import { z } from 'zod'
import { channelStates, longestReportedName, mostReported } from '../../core/consumer-report.ts'
import type { ConsumerStatus } from '../../ops/control-plane.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { createConsumerSight } from '../consumer-sight.ts'
import { cursorOf, pageQuery, positionOf } from '../cursor.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, idParams, time } from '../schemas.ts'

const service = z.string().min(1).max(200)
/** Longer than what users write: some brokers make a name of two. */
const channelName = z.string().min(1).max(600)
const group = channelName.nullable()
const shortText = z.string().min(1).max(longestReportedName)
const verb = z.enum(['pause', 'resume'])

const counts = z.object({
  received: count,
  completed: count,
  retried: count,
  released: count,
  failedRuns: count,
  deadLettered: count,
  publishFailures: count,
})

const channel = z.object({
  name: channelName,
  group,
  deadLetter: channelName.nullable(),
  state: z.enum(channelStates),
  running: count,
  held: count,
  parked: count,
  spooled: count,
  spoolAside: count,
  counts,
})

const heartbeat = z.object({
  service,
  instance: shortText,
  run: shortText,
  number: z.int().min(1),
  version: shortText.nullable(),
  environment: shortText,
  every: z.int().min(1000).max(300_000).describe('Milliseconds until the next one.'),
  isLast: z.boolean(),
  channels: z.array(channel).max(mostReported.channels),
  deadLettered: z.array(z.object({ channel: channelName, correlationId: shortText })).max(mostReported.deadLettered),
  succeeded: z
    .array(z.object({ replay: z.int().min(1), letter: shortText, channel: channelName, group }))
    .max(mostReported.succeeded),
  forgotten: count,
})

const order = z.object({ service, channel: channelName, order: verb, number: z.int(), at: time, actor: z.string() })

const consumer = z.object({
  id: z.int(),
  service: z.string(),
  instance: z.string(),
  version: z.string().nullable(),
  environment: z.string(),
  state: z.enum(['reporting', 'stopped', 'unknown']).describe('`unknown` after three missed reports.'),
  since: time,
  lastAt: time,
  every: count,
  spooled: count,
  hasAbandonedSpool: z.boolean().describe('It is not heard of any more, and letters wait on its disk.'),
  forgotten: count,
  channels: z.array(
    channel.extend({
      state: z.enum([...channelStates, 'unknown']),
      lastState: z.enum(channelStates),
      order: order.nullable(),
    }),
  ),
})

/** Where a consumer stands in the list, whether or not it is still there. */
type Place = Pick<ConsumerStatus, 'service' | 'instance'>
const place: z.ZodType<Place> = z.object({ service: z.string(), instance: z.string() })

function byPlace(one: Place, other: Place): number {
  const [left, right] = one.service === other.service ? [one.instance, other.instance] : [one.service, other.service]
  return left === right ? 0 : left < right ? -1 : 1
}

const steering: RouteRule = { need: 'consumers:steer', action: 'consumers', audit: 'write', noted: ['service', 'channel'] }

/** What runs out there: it reports by itself, and people steer it. */
export function consumerRoutes(app: Api, { controlPlane: { consumers }, vault }: Context): void {
  const { visible, refuseForeign } = createConsumerSight(consumers, vault)

  app.post(
    '/consumers/heartbeat',
    {
      config: { rule: { need: 'consumers:report', action: 'consumers.report', audit: 'metadata' } },
      schema: {
        summary: 'A consumer says how it is doing, and is told what to do. The runtime sends this by itself.',
        tags: ['consumers'],
        body: heartbeat,
        response: {
          200: z.object({ orders: z.array(z.object({ channel: z.string(), order: verb, number: z.int() })) }),
        },
      },
    },
    async (request) => {
      const { orders } = await consumers.report(request.body, principalOf(request).scopes)
      return { orders: [...orders] }
    },
  )

  app.get(
    '/consumers',
    {
      config: { rule: { need: 'metadata:read', action: 'consumers.read', audit: 'metadata' } },
      schema: {
        summary:
          'Every consumer that has reported, as it was last heard of, by service and instance. `next` says whether there are more.',
        tags: ['consumers'],
        querystring: pageQuery,
        response: { 200: z.object({ consumers: z.array(consumer), next: z.string().optional() }) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      const after = positionOf(cursor, place)
      const all = (await visible(principalOf(request))).toSorted(byPlace)
      const rest = after ? all.filter(({ service: name, instance }) => byPlace({ service: name, instance }, after) > 0) : all
      const page = rest.slice(0, limit)
      const last = page.at(-1)
      return {
        consumers: shown(page),
        ...(last && rest.length > limit && { next: cursorOf({ service: last.service, instance: last.instance }) }),
      }
    },
  )

  for (const wanted of verb.options) {
    app.post(
      `/consumers/${wanted}`,
      {
        config: { rule: { ...steering, action: `consumers.${wanted}` } },
        schema: {
          summary: `Tells all consumers of a service to ${wanted} a channel; each hears it with its next report.`,
          tags: ['consumers'],
          body: z.strictObject({ service, channel: channelName }),
          response: { 200: order },
        },
      },
      async (request) => {
        const principal = principalOf(request)
        const { service: named, channel: name } = request.body
        await refuseForeign(principal, (each) =>
          each.service === named ? each.channels.filter((known) => known.name === name) : [],
        )
        return consumers[wanted](request.body, { actor: principal.name })
      },
    )
  }

  app.post(
    '/consumers/:id/forget',
    {
      config: { rule: { ...steering, action: 'consumers.forget' } },
      schema: {
        summary: 'Forgets a consumer that will not come back. One that reports is refused.',
        tags: ['consumers'],
        params: idParams,
        response: { 204: z.undefined() },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { id } = request.params
      await refuseForeign(principal, (each) => (each.id === id ? each.channels : []))
      await consumers.forget(id, { actor: principal.name })
      return reply.code(204).send()
    },
  )
}

function shown(consumers: readonly ConsumerStatus[]): z.output<typeof consumer>[] {
  return consumers.map((each) => ({ ...each, channels: [...each.channels] }))
}
