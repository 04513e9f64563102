import type { Clock } from '../core/ports.ts'
import type { Vault } from '../vault/vault.ts'
import { noted } from './noted.ts'

/** Does something on behalf of a rule, between two notes in the audit trail. */
export type Noted = <Result>(
  rule: { readonly name: string },
  action: string,
  object: string,
  detail: object,
  work: () => Promise<Result>,
) => Promise<Result>

export function notingRules(vault: Vault, clock: Clock): Noted {
  return (rule, action, object, detail, work) => {
    const entry = { actor: actorOf(rule), address: '', action, object, detail: JSON.stringify(detail) }
    return noted(vault, clock, entry, work)
  }
}

export function actorOf({ name }: { readonly name: string }): string {
  return `rule ${name}`
}
