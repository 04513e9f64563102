import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import { type Granted, grantFor, nameFrom } from '../../oidc/claims.ts'
import type { Identity } from '../../oidc/issuer.ts'
import { LoginRefusal } from '../../oidc/refusal.ts'
import type { User } from '../../vault/operations/accounts.ts'
import type { Api, Context, OidcDoor } from '../api.ts'
import { createDoor } from '../door.ts'
import { escapeHtml } from '../escape-html.ts'
import { addressForBrowsers } from '../origin.ts'
import { showPage } from '../plain-page.ts'
import { statusOfCode, TryLaterError } from '../problem.ts'
import { pathWithin } from '../return-to.ts'
import { createThrottle, networkOf } from '../throttle.ts'

/** Where an issuer sends browsers back to: what is registered there. */
const callbackPath = '/oidc/callback'
const action = 'session.begin'

/** What the page at the door has to know, and the way to the issuer. */
export function oidcRoutes(app: Api, { oidc, home, takesPasswords }: Context): void {
  app.get(
    '/login',
    {
      config: { rule: { need: 'nothing', action: 'login.read', audit: 'metadata' } },
      schema: {
        summary: 'The ways to sign in.',
        tags: ['session'],
        security: [],
        response: {
          200: z.object({
            passwords: z.boolean().describe('Whether a name and a password let anybody in.'),
            oidc: z.object({ name: z.string().describe('What a button for it says.') }).nullable(),
          }),
        },
      },
    },
    async () => ({ passwords: takesPasswords, oidc: oidc ? { name: oidc.login.name } : null }),
  )

  app.post(
    '/session/oidc',
    {
      config: { rule: { need: 'nothing', action, audit: 'own' } },
      schema: {
        summary: 'Begin to sign in with OpenID Connect. The answer sets a cookie, and says where the browser has to go.',
        tags: ['session'],
        security: [],
        body: z.strictObject({
          returnTo: z.string().max(2000).default('/').describe('The path on this server to come back to.'),
        }),
        response: { 200: z.object({ url: z.string() }) },
      },
    },
    async (request, reply) => {
      const { issuer, attempts } = present(oidc)
      const returnTo = pathWithin(request.body.returnTo)
      const { url, attempt } = await issuer.begin(`${addressForBrowsers(request.headers.host, home)}${callbackPath}`)
      attempts.begin(reply, { ...attempt, returnTo })
      return { url }
    },
  )
}

/** Where people come back from the issuer: into the dashboard, or to a page that says why not. */
export function oidcCallback(app: Api, context: Context): void {
  const { oidc, accounts, clock } = context
  const door = createDoor(context)
  /** Any page can send browsers here, which makes nobody wait, and must not fill the audit trail. */
  const strays = createThrottle({ clock, free: 20 })

  app.get(
    callbackPath,
    { config: { rule: { need: 'nothing', action, audit: 'own' } }, schema: { hide: true } },
    async (request, reply) => {
      const { login, issuer, attempts } = present(oidc)
      const underway = attempts.take(request, reply)
      try {
        if (!underway) throw new LoginRefusal('no-attempt')
        const identity = await accounts.proven(request.ip, () => issuer.finish(underway, searchOf(request)))
        const granted = grantFor(identity.claims, login)
        const user = await personFrom(identity, granted, nameFrom(identity.claims, login))
        await door.note(request, user.name, action, 'done', { ...about(identity), ...reasonOf(granted), role: user.role })
        await door.enter(user, request, reply)
        return reply.redirect(underway.returnTo, 303)
      } catch (error) {
        if (!(error instanceof RedriveError)) throw error
        await noteRefusal(request, error)
        if (error instanceof TryLaterError) void reply.header('retry-after', String(error.seconds))
        return showPage(reply, statusOfCode[error.code], refusalPage(error))
      }
    },
  )

  /** Refuses with who it was, as far as the issuer has shown that. */
  async function personFrom(identity: Identity, granted: Granted | undefined, name: string): Promise<User> {
    if (!granted) {
      const known = await accounts.keepOut(identity)
      throw new LoginRefusal('no-group', { ...about(identity), ...(known && { user: known.name }) })
    }
    const { role, sources, reveal } = granted
    const { issuer, subject } = identity
    const user = await accounts.fromIssuer({ issuer, subject, name, role, sources, reveal })
    if (user.disabled) throw new LoginRefusal('disabled', { ...about(identity), user: user.name })
    return user
  }

  /** Those who are told to wait were noted when they failed; what cannot be noted says so itself. */
  async function noteRefusal(request: FastifyRequest, error: RedriveError): Promise<void> {
    if (['too-many-attempts', 'audit-failed'].includes(error.code)) return
    const { user = '(nobody)', ...detail } = error instanceof LoginRefusal ? error.detail : {}
    const reason = error instanceof LoginRefusal ? error.reason : error.code
    if (reason === 'no-attempt' && !strays.allows(networkOf(request.ip))) return
    await door.note(request, user, action, 'denied', { by: 'oidc', reason, ...detail })
  }
}

function present(oidc: OidcDoor | undefined): OidcDoor {
  if (oidc) return oidc
  throw new RedriveError('not-found', 'This server does not sign in with OpenID Connect: login.oidc says with whom.')
}

function searchOf({ url }: FastifyRequest): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}

function about({ issuer, subject }: Identity): Record<string, string> {
  return { by: 'oidc', issuer, subject }
}

function reasonOf(granted: Granted | undefined): { readonly group?: string } {
  return granted?.group === undefined ? {} : { group: granted.group }
}

function refusalPage({ code, message }: RedriveError): string {
  return `<p role="alert">You are not signed in. ${escapeHtml(message)}</p><p><a href="/">Back to signing in</a></p><p><small>${code}</small></p>`
}
