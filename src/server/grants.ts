import { z } from 'zod'
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
