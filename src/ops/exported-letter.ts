import { z } from 'zod'
import { type LetterState, letterStates } from '../core/letter-states.ts'
import type { Arrival } from '../vault/arrival.ts'
import type { SourceName } from '../vault/operations/sources.ts'

/** What may be known about a letter, under the names that an arrival has for it. */
export const optionalTexts = [
  'group',
  'originPosition',
  'reason',
  'errorType',
  'errorMessage',
  'messageId',
  'type',
  'key',
  'correlationId',
  'service',
  'version',
  'letter',
  'position',
] as const

type OptionalTexts = { readonly [Name in (typeof optionalTexts)[number]]?: string | undefined }

/** A letter as one line of a file. Times are epoch milliseconds, bytes are base64, and what a letter does not have is missing. */
export interface ExportedLetter extends OptionalTexts {
  readonly format: 1
  readonly source: Omit<SourceName, 'group'> & { readonly group?: string | undefined }
  /** The same in every vault that has this letter. */
  readonly identity: string
  readonly state: LetterState
  /** Whether the broker still has a copy of it. */
  readonly broker: 'kept' | 'gone'
  readonly cause: Arrival['cause']
  readonly channel: string
  readonly dialect: string
  readonly confidence: string
  readonly generation: number
  readonly attempts?: number | undefined
  readonly failedAt: number
  readonly receivedAt: number
  readonly bytes: number
  /** Headers and everything else but the body. Without it the letter can be read, and not imported. */
  readonly envelope?: string | undefined
  readonly body?: string | null | undefined
}

const name = z.string().max(10_000)
/** Nothing later has a date that could be shown. */
const time = z.int().min(0).max(8.64e15)
const count = z.int().min(0)

const causeParts = z.strictObject({
  groupedBy: z.array(z.enum(['type', 'text', 'place', 'channel'])),
  type: name,
  text: name,
  replaced: z.array(z.custom<Arrival['cause']['parts']['replaced'][number]>((value) => value !== null && value !== undefined)),
  place: z.strictObject({ function: name, module: name }).optional(),
  channel: name,
})

/** Anybody may have written the file. */
export const exportedLetter: z.ZodType<ExportedLetter> = z.strictObject({
  format: z.literal(1),
  source: z.strictObject({ connection: name, channel: name, part: name, group: name.optional() }),
  identity: z.base64().min(4).max(64),
  state: z.enum(letterStates),
  broker: z.enum(['kept', 'gone']),
  cause: z.strictObject({ fingerprint: name, title: name, parts: causeParts }) as z.ZodType<Arrival['cause']>,
  channel: name,
  dialect: name,
  confidence: name,
  generation: count,
  attempts: count.optional(),
  failedAt: time,
  receivedAt: time,
  bytes: count,
  envelope: z.string().optional(),
  body: z.base64().nullable().optional(),
  ...(Object.fromEntries(optionalTexts.map((text) => [text, name.optional()])) as Record<
    (typeof optionalTexts)[number],
    z.ZodOptional<z.ZodString>
  >),
})
