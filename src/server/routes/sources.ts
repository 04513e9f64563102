import { z } from 'zod'
import type { Conservation } from '../../ops/conservation.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { count, time } from '../schemas.ts'

const source = z.object({
  id: z.int(),
  connection: z.string(),
  channel: z.string(),
  part: z.string(),
  group: z.string().describe('The consumer group or subscription that it is read as; else empty.'),
  mode: z.enum(['watch', 'follow', 'collect', 'not-configured']),
  onBroker: z
    .union([z.object({ letters: count, at: time }), z.object({ unknownSince: time, problem: z.string() })])
    .describe('A broker that cannot be asked is unknown, and never 0.'),
  unresolved: count,
  isAtLeast: z.boolean(),
  oldestAt: time.optional().describe('When the oldest came that asks for attention.'),
  loss: z
    .object({ keepsFor: count, nextAt: time.optional(), isCopied: z.boolean() })
    .optional()
    .describe('Where the broker itself drops letters after a time: when the oldest goes, and whether the vault has it.'),
  reading: z
    .object({ at: time.optional(), problem: z.string().optional() })
    .optional()
    .describe('Where letters are copied or collected: when they were last read, and the code of what that fails with since.'),
  letters: z.record(z.string(), count).describe('Letters in the vault by state.'),
})

const balance: z.ZodType<Conservation['sources'][number]> = z.object({
  id: z.int(),
  connection: z.string(),
  channel: z.string(),
  part: z.string(),
  group: z.string().describe('The consumer group or subscription that it is read as; else empty.'),
  deliveries: count,
  deduplicated: count,
  inserted: count,
  tallied: count,
  purged: count,
  rows: count,
  differences: z.array(z.enum(['deliveries', 'states', 'rows'])),
})

const hourLength = 3_600_000
const mostHours = 24 * 7
/** As many as a picture in a row has room for. */
const steps = 24

const trend = z.object({
  source: z.int(),
  connection: z.string(),
  channel: z.string(),
  part: z.string(),
  group: z.string(),
  steps: z
    .array(
      z.object({
        at: time,
        letters: count.nullable().describe('What asked for attention at its end; null where nobody looked, or a look failed.'),
        came: count.nullable().describe('At least so many came in it; null where nobody looked in it or in the one before.'),
        went: count.nullable().describe('At least so many went in it.'),
      }),
    )
    .describe('The oldest first.'),
})

const finding = z.object({
  id: z.int(),
  connection: z.string(),
  channel: z.string(),
  part: z.string(),
  group: z.string(),
  severity: z.enum(['missing', 'fatal', 'warning', 'unknown', 'created']),
  what: z.string(),
  message: z.string(),
})

export function sourceRoutes(app: Api, { controlPlane, clock }: Context): void {
  app.get(
    '/sources/trends',
    {
      config: { rule: { need: 'metadata:read', action: 'trends.read', audit: 'metadata' } },
      schema: {
        summary: `How the number of each source went, in ${steps} steps, up to a week back: as whoever watches it saw.`,
        tags: ['sources'],
        querystring: z.object({ hours: z.coerce.number().int().min(1).max(mostHours).default(24) }),
        response: { 200: z.object({ now: time, step: z.int().describe('Milliseconds.'), sources: z.array(trend) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const step = (request.query.hours * hourLength) / steps
      const trends = (await controlPlane.trends({ count: steps, step })).filter((each) => principal.sees(each))
      return { now: clock.now(), step, sources: trends.map((each) => ({ ...each, steps: [...each.steps] })) }
    },
  )

  app.get(
    '/sources/findings',
    {
      config: { rule: { need: 'metadata:read', action: 'findings.read', audit: 'metadata' } },
      schema: {
        summary: 'How the sources are set up on their brokers, as far as letters could be lost by it. Nothing is changed there.',
        tags: ['sources'],
        response: { 200: z.object({ findings: z.array(finding) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      return { findings: (await controlPlane.findings()).filter((each) => principal.sees(each)) }
    },
  )

  app.get(
    '/conservation',
    {
      config: { rule: { need: 'metadata:read', action: 'conservation.read', audit: 'metadata' } },
      schema: {
        summary: 'Whether every letter is accounted for: what came, what was kept, what is counted and what is there.',
        tags: ['sources'],
        response: { 200: z.object({ at: time, holds: z.boolean(), sources: z.array(balance) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { at, sources: all } = await controlPlane.conservation()
      const sources = all.filter((source) => principal.sees(source))
      return { at, holds: sources.every(({ differences }) => differences.length === 0), sources }
    },
  )

  app.get(
    '/sources',
    {
      config: { rule: { need: 'metadata:read', action: 'sources.read', audit: 'metadata' } },
      schema: {
        summary: 'Every dead-letter channel, with what lies there and what lies in the vault.',
        tags: ['sources'],
        response: { 200: z.object({ sources: z.array(source) }) },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const all = await controlPlane.sources()
      const sources = all
        .filter((status) => principal.sees(status.source))
        .map(({ source: { id, connection, channel, part, group, letters }, ...status }) => ({
          ...{ id, connection, channel, part, group, letters: { ...letters } },
          ...status,
        }))
      return { sources }
    },
  )
}
