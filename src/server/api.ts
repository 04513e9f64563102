import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { RedriveError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Notifiers } from '../notifiers/notifiers.ts'
import type { Issuer } from '../oidc/issuer.ts'
import type { OidcLogin } from '../oidc/oidc-login.ts'
import type { ControlPlane } from '../ops/control-plane.ts'
import type { Duty } from '../ops/several/duty.ts'
import type { OtlpPush } from '../outgoing/otlp-push.ts'
import type { Vault } from '../vault/vault.ts'
import type { Accounts } from './accounts.ts'
import type { AuditTrail } from './audit-trail.ts'
import type { LoginAttempts } from './login-attempt.ts'
import type { Home } from './origin.ts'
import type { Masking } from './payload-view.ts'
import type { Principal } from './principal.ts'
import type { Draw } from './secrets.ts'
import type { SessionCookie } from './session-cookie.ts'
import type { Sight } from './sight.ts'

/** A server whose routes are typed by the schemas that validate them. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse<IncomingMessage>,
  FastifyBaseLogger,
  ZodTypeProvider
>

/** Signing in with an issuer of OpenID Connect. */
export interface OidcDoor {
  readonly login: OidcLogin
  readonly issuer: Issuer
  readonly attempts: LoginAttempts
}

/** What routes work with. */
export interface Context {
  readonly controlPlane: ControlPlane
  /** Absent where nobody is ever told anything. */
  readonly notifiers: Notifiers | undefined
  /** Absent where no collector is told. */
  readonly otlp: Pick<OtlpPush, 'health'> | undefined
  /** Whether this one works. */
  readonly duty: () => Promise<Duty>
  readonly vault: Vault
  readonly accounts: Accounts
  /** Whether passwords let anybody in. */
  readonly takesPasswords: boolean
  /** Absent where nobody signs in with an issuer. */
  readonly oidc: OidcDoor | undefined
  readonly home: Home
  readonly audit: AuditTrail
  readonly sight: Sight
  readonly cookie: SessionCookie
  readonly masking: Masking
  readonly clock: Clock
  readonly draw: Draw
  /** Keys name people: lists show what tells one from another, and nothing else. The same key has the same hash until the server restarts. */
  readonly hashKey: (key: string) => string
  /** A replay of more letters is started by another person than the one who sealed it. */
  readonly needsSecondPersonAbove: number
}

/** Only for routes that need somebody: the guard has let them in. */
export function principalOf(request: Pick<FastifyRequest, 'principal'>): Principal {
  if (!request.principal) throw new RedriveError('not-signed-in', 'Nobody is signed in.')
  return request.principal
}
