import { z } from 'zod'
import type { Phase } from '../core/alerts/alert-state.ts'
import type { Matcher } from '../core/alerts/matcher.ts'
import type { Figures } from '../core/alerts/notification.ts'
import { ruleTypes } from '../core/alerts/rule.ts'
import { severities } from '../core/alerts/severity.ts'
import type { AlertStatus } from '../ops/alerts/alert-status.ts'
import type { SilenceStatus } from '../ops/control-plane.ts'
import { count, time } from './schemas.ts'

/** What the routes of alerts show. What does not stand here does not leave. */

type ShownFigures = { [Name in keyof Figures]: Figures[Name] | undefined }

export const shownFigures: z.ZodType<ShownFigures> = z.object({
  count: z.number().optional(),
  previousCount: z.number().optional(),
  threshold: z.number().optional(),
  ratio: z.number().optional(),
  window: z.number().optional(),
  oldestAge: z.number().optional(),
  growthPerMinute: z.number().optional(),
  failure: z.string().optional(),
  unread: z.string().optional(),
})

const phases = ['ok', 'pending', 'firing', 'recovering'] as const satisfies readonly Phase[]
const mark = z.object({ by: z.string(), until: time }).nullable()

export const shownAlert: z.ZodType<Omit<AlertStatus, 'figures'> & { readonly figures: ShownFigures }> = z.object({
  fingerprint: z.string(),
  rule: z.string(),
  type: z.enum(ruleTypes),
  name: z.string(),
  severity: z.enum(severities),
  source: z.string().describe('The name of a connection; empty where it is about the control plane.'),
  queue: z.string().nullable(),
  consumerGroup: z.string().nullable(),
  cause: z.string().nullable(),
  replay: z.int().nullable(),
  sink: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  phase: z.enum(phases),
  episode: count.describe('How often it has fired.'),
  message: z.string(),
  figures: shownFigures,
  errors: z.array(z.object({ errorClass: z.string(), count, fingerprint: z.string() })),
  correlationIds: z.array(z.string()),
  isFlapping: z.boolean(),
  firedAt: time,
  seenAt: time,
  changedAt: time,
  unknownSince: time.nullable().describe('Nobody can look, since then: the phase is the last one that somebody saw.'),
  acknowledged: mark,
  snoozed: mark,
  mutedBy: z.enum(['silence', 'inhibition']).nullable(),
})

export const matcher: z.ZodType<Matcher> = z.strictObject({
  name: z.string().min(1).max(100),
  is: z.enum(['=', '!=', '=~']),
  value: z.string().min(1).max(500),
})

export const shownSilence: z.ZodType<SilenceStatus> = z.object({
  id: z.int(),
  matchers: z.array(matcher),
  reason: z.string(),
  author: z.string(),
  madeAt: time,
  startsAt: time,
  endsAt: time,
  evenProtected: z.boolean(),
  isActive: z.boolean(),
})
