import { onPostgres } from '../control/on-postgres.ts'

/** All but those that ask nothing of the vault which others do not ask: who may do what, what browsers send, hostile requests. */
await onPostgres({
  Accounts: () => import('./accounts.test.ts'),
  Alerts: () => import('./alerts.test.ts'),
  'The audit trail': () => import('./audit.test.ts'),
  'Causes that are merged and split': () => import('./regrouping.test.ts'),
  'Causes and replays': () => import('./causes-and-replays.test.ts'),
  Consumers: () => import('./consumers.test.ts'),
  'What screens ask for': () => import('./for-screens.test.ts'),
  'Requests sent twice': () => import('./idempotency.test.ts'),
  'Signing in with an issuer': () => import('../oidc/real-issuer.test.ts'),
  Letters: () => import('./letters.test.ts'),
  Pages: () => import('./pages.test.ts'),
  Scopes: () => import('./scope.test.ts'),
  Sessions: () => import('./session.test.ts'),
  Tokens: () => import('./tokens.test.ts'),
  'Two operators': () => import('./two-operators.test.ts'),
})
