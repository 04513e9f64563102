/** From the one that sees least to the one that may do all. An editor changes what others sent, so nobody is one by accident. */
export const roles = ['viewer', 'reader', 'operator', 'editor', 'approver', 'admin'] as const

export type Role = (typeof roles)[number]

export type Right =
  | 'metadata:read'
  | 'payload:read'
  | 'payload:reveal'
  | 'letters:discard'
  | 'letters:edit'
  | 'letters:purge'
  | 'causes:judge'
  | 'replays:make'
  | 'replays:start'
  | 'replays:approve'
  | 'audit:read'
  | 'users:manage'

/**
 * Who may do what, in one table. `payload:reveal` belongs to no role: seeing payloads as they are is given to a person by itself, and every use of
 * it is in the audit trail.
 */
export const rolesWithRight: Readonly<Record<Right, readonly Role[]>> = {
  'metadata:read': ['viewer', 'reader', 'operator', 'editor', 'approver', 'admin'],
  'payload:read': ['reader', 'operator', 'editor', 'approver', 'admin'],
  'payload:reveal': [],
  'letters:discard': ['operator', 'editor', 'admin'],
  'letters:edit': ['editor', 'admin'],
  'letters:purge': ['admin'],
  'causes:judge': ['operator', 'editor', 'admin'],
  'replays:make': ['operator', 'editor', 'admin'],
  'replays:start': ['operator', 'editor', 'approver', 'admin'],
  'replays:approve': ['approver', 'admin'],
  'audit:read': ['admin'],
  'users:manage': ['admin'],
}

/**
 * What a route asks of whoever calls it: a right; only to be somebody; to be a person who signed in, and not a program with a token; or nothing.
 */
export type Need = Right | 'signed-in' | 'session' | 'nothing'

export function rightsOf(role: string, reveal: boolean): ReadonlySet<Right> {
  const all = Object.entries(rolesWithRight) as [Right, readonly string[]][]
  const rights = new Set(all.filter(([, allowed]) => allowed.includes(role)).map(([right]) => right))
  if (reveal) rights.add('payload:reveal')
  return rights
}
