import { z } from 'zod'
import { RedriveError } from '../core/errors.ts'
import type { Grant } from '../vault/operations/accounts.ts'
import { type Role, roles } from './rights.ts'

const patterns = z
  .array(z.string().min(1).max(500))
  .min(1)
  .max(100)
  .describe('Patterns of connection/channel, in which * stands for any characters.')

/** What may be given to a user or a token. */
export function grantFields(): {
  role: z.ZodType<Role>
  sources: z.ZodType<string[]>
  reveal: z.ZodType<boolean>
} {
  return {
    role: z.enum(roles),
    sources: patterns.default(['*']),
    reveal: z.boolean().default(false).describe('The right to see payloads as they are.'),
  }
}

export function grantChanges(): {
  role: z.ZodType<Role | undefined>
  sources: z.ZodType<string[] | undefined>
  reveal: z.ZodType<boolean | undefined>
} {
  return { role: z.enum(roles).optional(), sources: patterns.optional(), reveal: z.boolean().optional() }
}

/** Whoever makes users can make one who sees everything: to give an admin some sources would only look like a limit. */
export function refusePartialAdmin({ role, sources }: Pick<Grant, 'role' | 'sources'>): void {
  if (role !== 'admin' || sources.includes('*')) return
  throw new RedriveError('bad-request', 'sources: an admin has all of them, ["*"].')
}
