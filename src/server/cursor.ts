import { Buffer } from 'node:buffer'
import { z } from 'zod'
import { RedriveError } from '../core/errors.ts'

/** Where the next page begins, as text that says nothing to its reader: what it holds may change. */
export function cursorOf(position: unknown): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

export function positionOf<Position>(cursor: string | undefined, schema: z.ZodType<Position>): Position | undefined {
  if (cursor === undefined) return undefined
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
  } catch (cause) {
    throw new RedriveError('bad-request', 'cursor: take it from `next` of the page before, as it is.', { cause })
  }
}

export interface PageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** What every list takes. */
export const pageQuery: z.ZodType<PageQuery> = z.object(pageFields())

export function pageFields(): {
  limit: z.ZodDefault<z.ZodCoercedNumber>
  cursor: z.ZodOptional<z.ZodString>
} {
  return {
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: z.string().max(400).optional(),
  }
}

/** The id of a row, as the position of lists by id. */
export const idPosition: z.ZodType<number> = z.int().positive()
