import type { Grant, User } from '../../vault/operations/accounts.ts'
import type { AuditRow, AuditVerdict } from '../../vault/operations/audit.ts'
import type { KnownToken } from '../../vault/operations/tokens.ts'

/** Who may come in, and what was done: for admins, by way of a server or on the file of a vault. */
export interface Access {
  readonly audit: AuditReading
  readonly tokens: Tokens
  readonly users: Users
}

export interface AuditReading {
  /** The newest first. `next` is what `before` of the next page is; absent on the last one. */
  list(query: { readonly limit: number; readonly before?: number }): Promise<AuditPage>
  /** Recomputes the chain; `expected` is a row and its hash as somebody kept them elsewhere. */
  verify(expected?: { readonly seq: number; readonly hash: string }): Promise<AuditVerdict>
}

export interface AuditPage {
  readonly rows: readonly NotedRow[]
  readonly next?: number
}

export interface NotedRow extends Omit<AuditRow, 'detail'> {
  readonly detail: Readonly<Record<string, unknown>>
}

export interface Tokens {
  list(): Promise<readonly KnownToken[]>
  /** `secret` is shown once, and kept by nobody. */
  create(wanted: NewToken): Promise<{ readonly token: KnownToken; readonly secret: string }>
  revoke(id: number): Promise<void>
}

export interface NewToken extends Grant {
  /** Whose it is, by name: it never may more than they may. */
  readonly user: string
  readonly name: string
  readonly days: number
}

export interface Users {
  list(): Promise<readonly User[]>
  create(wanted: Grant & { readonly name: string }): Promise<WithLink>
  change(id: number, change: Partial<Grant> & { readonly disabled?: boolean }): Promise<User>
  /** A new link, for somebody who lost the password or the link. */
  link(id: number): Promise<WithLink>
}

export interface WithLink {
  readonly user: User
  /** The path of the page where the user sets a password, once and within the hour. */
  readonly link: string
}
