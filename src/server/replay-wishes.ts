import { z } from 'zod'
import type { Wishes } from '../ops/replay/plan-replay.ts'
import type { Destination } from '../vault/replay-rows.ts'
import { destination } from './schemas.ts'

/** How a replay is to go, as a request says it; what it does not say is careful. */
export interface RequestedWishes {
  readonly rate: number
  readonly canary: { readonly first: number; readonly growth: number; readonly tolerated: number } | null
  readonly observe: number
  readonly destination?: Destination | undefined
  readonly toOrigin?: boolean | undefined
}

const canary = z.strictObject({
  first: z.int().min(1).max(1_000_000),
  growth: z.number().gt(1).max(1000),
  tolerated: z.number().min(0).max(1),
})

/** One letter first, then five times as many at each step, and none may come back. */
const carefully = { first: 1, growth: 5, tolerated: 0 }

export function requestedWishes(): { [Name in keyof RequestedWishes]-?: z.ZodType<RequestedWishes[Name]> } {
  return {
    rate: z.number().gt(0).max(100_000).default(50).describe('Letters a second.'),
    canary: canary.nullable().default(carefully).describe('Null: everything at once.'),
    observe: z.int().min(0).max(86_400_000).default(60_000).describe('Milliseconds until a letter is taken to have succeeded.'),
    destination: destination.optional(),
    toOrigin: z
      .boolean()
      .optional()
      .describe(
        'Each by the exchange that it was first published to, where letter and broker know of one. Not with destination.',
      ),
  }
}

export function wishesOf({ rate, canary: steps, observe, destination: elsewhere, toOrigin }: RequestedWishes): Wishes {
  const where = { ...(elsewhere && { destination: elsewhere }), ...(toOrigin && { toOrigin }) }
  return { rate, canary: steps ?? undefined, observe, ...where }
}
