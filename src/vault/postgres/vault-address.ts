import { RedriveError } from '../../core/errors.ts'

/** Where a vault is on a server: what stands in the configuration as one url. */
export interface VaultAddress {
  /** For the client library. */
  readonly url: string
  /** The schema that holds its tables. */
  readonly schema: string
}

/** `?schema=` is ours; everything else in the url is the library's. */
export function vaultAddress(written: string): VaultAddress {
  // The url itself is not shown: it may hold a password.
  if (!URL.canParse(written)) throw new RedriveError('bad-option', 'vault: the url of the server cannot be read.')
  const url = new URL(written)
  const schema = url.searchParams.get('schema') ?? 'redrive_vault'
  url.searchParams.delete('schema')
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema) || schema.startsWith('pg_')) {
    const allowed = 'at most 40 small letters, digits and underscores, not starting with a digit or pg_'
    throw new RedriveError('bad-option', `vault: schema is ${JSON.stringify(schema)}. Allowed: ${allowed}.`)
  }
  return { url: url.href, schema }
}

/** As people are told of it: without who comes in, and with what. */
export function shownAddress(written: string): string {
  const { url, schema } = vaultAddress(written)
  const { host, pathname } = new URL(url)
  return `postgres://${host}${pathname}?schema=${schema}`
}
