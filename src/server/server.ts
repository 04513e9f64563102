import { createHmac } from 'node:crypto'
import { hostname } from 'node:os'
import type { SecureContextOptions } from 'node:tls'
import cookiePlugin from '@fastify/cookie'
import helmet from '@fastify/helmet'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Clock } from '../core/ports.ts'
import type { Notifiers } from '../notifiers/notifiers.ts'
import { createIssuer } from '../oidc/issuer.ts'
import { loadOpenidClient } from '../oidc/library.ts'
import type { OidcLogin } from '../oidc/oidc-login.ts'
import type { ControlPlane } from '../ops/control-plane.ts'
import { type Duty, dutyAlone } from '../ops/several/duty.ts'
import type { OtlpPush } from '../outgoing/otlp-push.ts'
import { systemClock } from '../platform/clock.ts'
import type { Vault } from '../vault/vault.ts'
import { createAccounts } from './accounts.ts'
import type { Api, Context, OidcDoor } from './api.ts'
import { createAuditTrail } from './audit-trail.ts'
import { refuseOpenBinding } from './binding.ts'
import { createEventFeed } from './event-feed.ts'
import { createRefusePeeking } from './filter-rights.ts'
import { addGuard } from './guard.ts'
import { addIdempotency } from './idempotency.ts'
import { createLoginAttempts } from './login-attempt.ts'
import { addNoting } from './noting.ts'
import { addOpenApi } from './open-api.ts'
import type { Home } from './origin.ts'
import { addPages } from './pages.ts'
import { createPasswords } from './passwords.ts'
import { type Masking, maskingBeside } from './payload-view.ts'
import { type ListedRoute, listedRoutes } from './route-rule.ts'
import { alertRoutes } from './routes/alerts.ts'
import { auditRoutes } from './routes/audit.ts'
import { causeRoutes } from './routes/causes.ts'
import { consumerRoutes } from './routes/consumers.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { dutyRoutes } from './routes/duty.ts'
import { eventRoutes } from './routes/events.ts'
import { failureRateRoutes } from './routes/failure-rates.ts'
import { flowRoutes } from './routes/flow.ts'
import { healthRoutes } from './routes/health.ts'
import { letterActionRoutes } from './routes/letter-actions.ts'
import { letterContentRoutes } from './routes/letter-content.ts'
import { letterRoutes } from './routes/letters.ts'
import { metricsRoutes } from './routes/metrics.ts'
import { notifierRoutes } from './routes/notifiers.ts'
import { oidcCallback, oidcRoutes } from './routes/oidc.ts'
import { otlpRoutes } from './routes/otlp.ts'
import { replayRoutes } from './routes/replays.ts'
import { ruleRoutes } from './routes/rules.ts'
import { sessionRoutes } from './routes/session.ts'
import { setupPage } from './routes/setup-page.ts'
import { silenceRoutes } from './routes/silences.ts'
import { sourceRoutes } from './routes/sources.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { traceRoutes } from './routes/trace.ts'
import { userRoutes } from './routes/users.ts'
import { drawSecret, drawSecurely, setupPath } from './secrets.ts'
import { createSessionCookie } from './session-cookie.ts'
import { createSight } from './sight.ts'
import { createSockets } from './sockets.ts'
import { addWrongMethods } from './wrong-method.ts'

export interface ServerOptions {
  readonly controlPlane: ControlPlane
  /** Who is told about alerts. */
  readonly notifiers?: Notifiers
  /** The collector that is told what is counted. */
  readonly otlp?: Pick<OtlpPush, 'health'>
  /** Where several control planes have one vault; without it, this one is alone. */
  readonly duty?: () => Promise<Duty>
  /** Where accounts and the audit trail are kept: beside the letters. */
  readonly vault: Vault
  readonly clock?: Clock
  /** Where to listen. Anything but this machine alone needs `tls` or `behindProxy`. */
  readonly host?: string
  readonly port?: number
  readonly tls?: Pick<SecureContextOptions, 'key' | 'cert' | 'ca'>
  /** A proxy in front does TLS and writes `X-Forwarded-For`; without one that header is anybody's, and not believed. */
  readonly behindProxy?: boolean
  /** The address that browsers see, where a proxy changes the host. */
  readonly publicUrl?: string
  /** The folder of the built dashboard; without it there is the API alone. */
  readonly pages?: string
  /** What is masked beside what always is. */
  readonly masking?: Masking
  /** A replay of more letters is started by another person than the one who sealed it. */
  readonly needsSecondPersonAbove?: number
  /** Whether a name and a password let anybody in. */
  readonly takesPasswords?: boolean
  /** The issuer of OpenID Connect with whom people sign in. */
  readonly oidc?: OidcLogin
  /** Milliseconds. */
  readonly session?: { readonly idle: number; readonly absolute: number }
  /** The logarithm of scrypt's N. Tests lower it. */
  readonly passwordCost?: number
  /** What went wrong and no client is told. */
  readonly onProblem?: (problem: unknown) => void
}

export interface Server {
  readonly app: Api
  /** Every route with what it needs, as it was declared. */
  readonly routes: readonly ListedRoute[]
  /** While nobody has ever set a password: the path of the page where the first admin does. To be shown once. */
  firstLink(): Promise<string | undefined>
  /** Resolves to its address. */
  listen(): Promise<string>
  close(): Promise<void>
}

const tenHours = 10 * 60 * 60_000
const halfAnHour = 30 * 60_000

export async function createServer(options: ServerOptions): Promise<Server> {
  const { host = '127.0.0.1', port = 0, tls, behindProxy = false, onProblem = () => undefined } = options
  refuseOpenBinding({ host, behindProxy, ...(tls && { tls }) })
  const secure = tls !== undefined || behindProxy
  const home = { secure, ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }) }
  const context = await contextOf(options, home, onProblem)
  const routes: ListedRoute[] = []
  const app = createSockets({ behindProxy, onProblem, ...(tls && { tls }) })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.addHook('onRoute', (route) => void routes.push(...listedRoutes(route)))
  await app.register(cookiePlugin)
  await app.register(helmet, headers(secure))
  addGuard(app, context)
  addNoting(app, context)
  addIdempotency(app, context, onProblem)
  await addOpenApi(app, secure)
  healthRoutes(app, context)
  await app.register(async (pages: Api) => setupPage(pages, context))
  oidcCallback(app, context)
  metricsRoutes(app, context)
  await app.register(async (api: Api) => addResources(api, context), { prefix: '/api/v1' })
  const resources = [...routes]
  addWrongMethods(app, resources)
  const beforePages = routes.length
  if (options.pages !== undefined) await addPages(app, options.pages)
  const declared = [...resources, ...routes.slice(beforePages)]
  await app.ready()

  return {
    app,
    routes: declared,
    async firstLink() {
      const secret = await context.accounts.openFirstDoor()
      return secret === undefined ? undefined : setupPath(secret)
    },
    listen: () => app.listen({ host, port }),
    close: () => app.close(),
  }
}

function addResources(api: Api, context: Context): void {
  letterRoutes(api, context)
  letterContentRoutes(api, context)
  letterActionRoutes(api, context)
  causeRoutes(api, context)
  replayRoutes(api, context)
  sourceRoutes(api, context)
  consumerRoutes(api, context)
  flowRoutes(api, context)
  failureRateRoutes(api, context)
  traceRoutes(api, context)
  alertRoutes(api, context)
  silenceRoutes(api, context)
  ruleRoutes(api, context)
  deliveryRoutes(api, context)
  notifierRoutes(api, context)
  otlpRoutes(api, context)
  dutyRoutes(api, context)
  sessionRoutes(api, context)
  oidcRoutes(api, context)
  tokenRoutes(api, context)
  userRoutes(api, context)
  auditRoutes(api, context)
  eventRoutes(api, context, createEventFeed(context.controlPlane, drawSecret(context.draw).replaceAll('-', '').slice(0, 8)))
}

async function contextOf(options: ServerOptions, home: Home, onProblem: (problem: unknown) => void): Promise<Context> {
  const {
    controlPlane,
    vault,
    clock = systemClock,
    masking = { headers: [], paths: [] },
    needsSecondPersonAbove = Number.POSITIVE_INFINITY,
    takesPasswords = true,
  } = options
  const { idle, absolute } = options.session ?? { idle: halfAnHour, absolute: tenHours }
  const passwords = createPasswords(options.passwordCost)
  const hashingSecret = drawSecurely(32)
  const alone = dutyAlone(hostname(), clock.now(), [])
  const hidden = maskingBeside(masking)
  return {
    controlPlane,
    notifiers: options.notifiers,
    otlp: options.otlp,
    duty: options.duty ?? (async () => alone),
    vault,
    clock,
    masking: hidden,
    needsSecondPersonAbove,
    draw: drawSecurely,
    ...{ home, takesPasswords },
    oidc: options.oidc && (await oidcDoor(options.oidc, clock, home.secure)),
    accounts: createAccounts({ vault, clock, passwords, draw: drawSecurely, idle, absolute, takesPasswords }),
    audit: createAuditTrail(vault, clock, onProblem),
    sight: createSight(controlPlane.letters, vault, clock, createRefusePeeking(hidden.headers)),
    cookie: createSessionCookie(home.secure),
    hashKey: (key) => createHmac('sha256', hashingSecret).update(key).digest('hex').slice(0, 16),
  }
}

/** Without its library the server does not start. Whether the issuer answers is seen when somebody signs in. */
async function oidcDoor(login: OidcLogin, clock: Clock, secure: boolean): Promise<OidcDoor> {
  const issuer = createIssuer(await loadOpenidClient(), login, clock)
  return { login, issuer, attempts: createLoginAttempts({ secure, clock, draw: drawSecurely, clientSecret: login.clientSecret }) }
}

/** Pages run only what this server sends, nobody frames them, and nothing is guessed about content. */
function headers(secure: boolean): Parameters<typeof helmet>[1] {
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        formAction: ["'self'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    hsts: secure,
  }
}
