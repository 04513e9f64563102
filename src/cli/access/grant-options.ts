import { Option } from 'commander'
import { roles } from '../../server/rights.ts'
import { repeated } from '../arguments.ts'

export interface GrantOptions {
  readonly role?: string
  readonly source?: readonly string[]
  readonly reveal?: boolean
}

export function roleOption(): Option {
  return new Option('--role <role>', 'what they may do (docs/security.md)').choices(roles)
}

export function sourceOption(): Option {
  return new Option('--source <pattern>', 'only these, such as shop/dlq.*; may be repeated (default: all)').argParser(repeated)
}

export const revealOption: readonly [flags: string, description: string] = ['--reveal', 'may see payloads as they are']
