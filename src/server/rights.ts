/**
 * From the one that sees least to the one that may do all. A consumer is a program that reports, and sees nothing. An editor changes what others sent, so
 * nobody is one by accident.
 */
export const roles = ['consumer', 'viewer', 'reader', 'operator', 'editor', 'approver', 'admin'] as const

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
  | 'consumers:report'
  | 'consumers:steer'
  | 'alerts:manage'
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
  'consumers:report': ['consumer', 'admin'],
  'consumers:steer': ['operator', 'editor', 'admin'],
  'alerts:manage': ['operator', 'editor', 'admin'],
  'audit:read': ['admin'],
  'users:manage': ['admin'],
}

/** What each is for, in the words that people are shown. */
export const rightMeanings: Readonly<Record<Right, string>> = {
  'metadata:read': 'see letters, causes, replays, sources, consumers, alerts and timelines, and nothing of payloads',
  'payload:read': 'see payloads masked, and filter by headers',
  'payload:reveal': 'see and download payloads as they are, and filter by bodies; given to a person by itself',
  'letters:discard': 'discard and restore letters, and write notes on them',
  'letters:edit': 'make a changed copy of a letter, and send it',
  'letters:purge': 'purge and erase letters, which nobody brings back',
  'causes:judge': 'say what a cause is: seen, mended, archived; whose it is; notes; which causes are one, and which are two',
  'replays:make': 'preview, seal, pause, resume and cancel replays; decide what became of unknown letters',
  'replays:start': 'start a sealed replay',
  'replays:approve': 'be the second person who starts it, where two are asked for',
  'consumers:report':
    'tell how a consumer is doing and which replayed letters it processed, as the runtime does with `controlPlane`',
  'consumers:steer': 'pause and resume channels of consumers, and forget those that will not come back',
  'alerts:manage': 'acknowledge and snooze alerts, silence them, and send a notification again that was given up',
  'audit:read': 'read and verify the audit trail',
  'users:manage': 'make, change and disable users; see and revoke all tokens',
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
