import { z } from 'zod'
import { type LedgerCounts, type LedgerState, ledgerStates } from '../core/canary.ts'
import { letterStates } from '../core/letter-states.ts'
import type { Selection } from '../ops/control-plane.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { Note } from '../vault/operations/notes.ts'
import type { Destination } from '../vault/replay-rows.ts'

/** What several resources show or take. Answers hold what stands here and nothing else: what a schema does not name does not leave. */

export const idParams: z.ZodType<{ id: number }> = z.object({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

export const count: z.ZodType<number> = z.int().min(0)
export const time: z.ZodType<number> = z.int().describe('Epoch milliseconds')

/** A letter in a list. Nothing of it is payload, and of its key there is a hash. */
export type ShownLetter = Omit<Letter, 'key'> & { readonly keyHash: string | null }

export const shownLetter: z.ZodType<ShownLetter> = z.object({
  id: z.int(),
  source: z.int(),
  state: z.enum(letterStates),
  broker: z.enum(['kept', 'completing', 'matched', 'gone']),
  cause: z.int(),
  channel: z.string(),
  originGroup: z.string().nullable(),
  originPosition: z.string().nullable(),
  dialect: z.string(),
  confidence: z.string(),
  reason: z.string().nullable(),
  errorType: z.string().nullable(),
  errorMessage: z.string().nullable(),
  messageId: z.string().nullable(),
  type: z.string().nullable(),
  keyHash: z.string().nullable(),
  correlationId: z.string().nullable(),
  service: z.string().nullable(),
  version: z.string().nullable(),
  letter: z.string().nullable(),
  generation: z.int(),
  replay: z.int().nullable(),
  attempts: z.int().nullable(),
  failedAt: time,
  receivedAt: time,
  position: z.string().nullable(),
  bytes: count,
  brokerDropsAt: time
    .nullable()
    .describe('When the broker drops its own copy, at the earliest. The letter stays: the vault has a copy.'),
})

export function showLetter({ key, ...letter }: Letter, hashKey: (key: string) => string): ShownLetter {
  return { ...letter, keyHash: key === null ? null : hashKey(key) }
}

export const shownNote: z.ZodType<Note> = z.object({ madeAt: time, actor: z.string(), text: z.string() })
export const noteBody: z.ZodType<{ text: string }> = z.strictObject({ text: z.string().min(1).max(10_000) })

export const selection: z.ZodType<Selection> = z.union([
  z
    .strictObject({
      filter: z.string().max(2000),
      before: z.int().min(1).optional().describe('Only letters with a smaller id: what has come since is not among them.'),
    })
    .transform(({ filter, before }) => ({ filter, ...(before !== undefined && { before }) })),
  z.strictObject({ letters: z.array(z.int().min(1)).min(1).max(10_000) }),
])

export const destination: z.ZodType<Destination> = z
  .strictObject({ connection: z.string().max(255), channel: z.string().max(255), group: z.string().max(255).optional() })
  .transform(({ group, ...rest }) => ({ ...rest, ...(group !== undefined && { group }) }))

export const shownDestination: z.ZodType<ShownDestination> = z.object({
  connection: z.string(),
  channel: z.string(),
  group: z.string().optional(),
  via: z
    .object({ exchange: z.string(), routingKey: z.string() })
    .optional()
    .describe('Sent to this exchange, from where others may get it too; the channel is the one that it died in.'),
})

interface ShownDestination {
  connection: string
  channel: string
  group?: string | undefined
  via?: Destination['via'] | undefined
}

export const counted: z.ZodType<{ letters: number }> = z.object({ letters: count })

export const ledgerCounts: z.ZodType<LedgerCounts> = z.object(
  Object.fromEntries(ledgerStates.map((state) => [state, count])) as Record<LedgerState, typeof count>,
)
