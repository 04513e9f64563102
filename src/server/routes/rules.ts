import { z } from 'zod'
import { type Rule, ruleTypes } from '../../core/alerts/rule.ts'
import { severities } from '../../core/alerts/severity.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { rulesConcerning } from '../rule-sight.ts'
import { count, time } from '../schemas.ts'
import { shownFigures } from '../shown-alerts.ts'

const rule = z.object({
  id: z.string(),
  type: z.enum(ruleTypes),
  severity: z.enum(severities),
  scope: z.object({ source: z.string().optional(), queue: z.string().optional(), consumerGroup: z.string().optional() }),
  condition: z.looseObject({ kind: z.string() }).describe('What it compares; docs/alerts.md says how.'),
  for: z.number(),
  keepFiringFor: z.number(),
  noData: z.enum(['unknown', 'fire', 'ok']),
  labels: z.record(z.string(), z.string()),
  runbook: z.string().optional(),
  correlationIds: z.boolean(),
})

function shown(own: Rule): z.infer<typeof rule> {
  return { ...own, condition: { ...own.condition }, labels: { ...own.labels } }
}

const subject = z.object({
  source: z.string(),
  queue: z.string().optional(),
  consumerGroup: z.string().optional(),
  cause: z.string().optional(),
  replay: z.int().optional(),
  sink: z.string().optional(),
})

const longest = 366 * 24 * 3_600_000

/** What is watched, and what a rule would have said: that concerns all sources. */
export function ruleRoutes(app: Api, { controlPlane: { alerts, consumers }, sight, vault }: Context): void {
  app.get(
    '/rules',
    {
      config: { rule: { need: 'metadata:read', action: 'rules.read', audit: 'metadata' } },
      schema: {
        summary: 'The rules that are in force and may concern sources of yours. Durations are milliseconds.',
        tags: ['alerts'],
        response: { 200: z.object({ rules: z.array(rule) }) },
      },
    },
    async (request) => {
      const isTheirs = await rulesConcerning(principalOf(request), consumers, vault)
      return { rules: (await alerts.rules()).filter(isTheirs).map(shown) }
    },
  )

  app.post(
    '/rules/:rule/test',
    {
      config: { rule: { need: 'metadata:read', action: 'rules.test', audit: 'metadata' } },
      schema: {
        summary: 'When a rule would have fired on what was seen since then. Nobody is told anything.',
        tags: ['alerts'],
        params: z.object({ rule: z.string().min(1).max(100) }),
        body: z.strictObject({
          since: time,
          for: z.number().min(0).max(longest).optional(),
          keepFiringFor: z.number().min(0).max(longest).optional(),
          limit: z.number().optional().describe('In place of its own, where its condition has one.'),
        }),
        response: {
          200: z.object({
            samples: count,
            from: time.optional(),
            to: time.optional(),
            changes: z.array(z.object({ at: time, change: z.enum(['fired', 'resolved']), subject, figures: shownFigures })),
          }),
        },
      },
    },
    async (request) => {
      sight.requireAll(principalOf(request), 'Testing a rule')
      const { since, ...changes } = request.body
      const given = Object.entries(changes).filter(([, value]) => value !== undefined)
      const { changes: found, ...test } = await alerts.testRule({
        rule: request.params.rule,
        changes: Object.fromEntries(given),
        since,
      })
      return { ...test, changes: found.map((change) => ({ ...change, subject: { ...change.subject } })) }
    },
  )
}
