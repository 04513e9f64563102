import { createHmac } from 'node:crypto'
import type { Connection } from 'rhea'

/** Who may do what on which connection: tokens that were put on `$cbs`. */
export interface Claims {
  /** Rejects a token that is not signed with one of the keys, or has ended. */
  put(connection: Connection, resource: string, token: string): boolean
  has(connection: Connection, path: string): boolean
}

/** Without keys every token is good. */
export function createClaims(keys: Readonly<Record<string, string>> | undefined): Claims {
  const claims = new WeakMap<Connection, Set<string>>()

  return {
    put(connection, resource, token) {
      if (keys && !isSigned(token, keys)) return false
      const paths = claims.get(connection) ?? new Set<string>()
      claims.set(connection, paths)
      paths.add(new URL(resource.replace(/^\w+:/, 'http:')).pathname.replace(/^\/|\/$/g, '').toLowerCase())
      return true
    },
    has(connection, path) {
      const wanted = path.toLowerCase()
      return [...(claims.get(connection) ?? [])].some(
        (claimed) => claimed === '' || wanted === claimed || wanted.startsWith(`${claimed}/`),
      )
    },
  }
}

function isSigned(token: string, keys: Readonly<Record<string, string>>): boolean {
  const parts = new URLSearchParams(token.replace(/^SharedAccessSignature /, ''))
  const key = keys[parts.get('skn') ?? '']
  const end = parts.get('se') ?? '0'
  if (key === undefined || Number(end) * 1000 < Date.now()) return false
  const signed = `${encodeURIComponent(parts.get('sr') ?? '')}\n${end}`
  return createHmac('sha256', key).update(signed).digest('base64') === parts.get('sig')
}
