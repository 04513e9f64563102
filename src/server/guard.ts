import type { FastifyReply, FastifyRequest } from 'fastify'
import { RedriveError } from '../core/errors.ts'
import type { Api, Context } from './api.ts'
import { authenticate } from './authenticate.ts'
import { objectOf } from './noting.ts'
import { isFromOurPages, isNotForeign, type Sender } from './origin.ts'
import { may } from './principal.ts'
import type { RouteRule } from './route-rule.ts'

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Asks, before a body is read: who is it, did their own browser page send it, and may they? */
export function addGuard(app: Api, context: Context): void {
  const { audit, home } = context

  function refuseForeign(request: FastifyRequest): void {
    if (safeMethods.has(request.method)) return
    const isFine = request.principal?.by.kind === 'session' ? isFromOurPages : isNotForeign
    // A token is nothing that a browser sends by itself.
    if (request.principal?.by.kind === 'token' || isFine(senderOf(request), home)) return
    throw new RedriveError('cross-site', 'This request does not come from a page of this server.')
  }

  function refuseUnlessAllowed({ principal }: FastifyRequest, { need }: RouteRule): void {
    if (!principal) throw new RedriveError('not-signed-in', 'Sign in, or send a token.')
    if (may(principal, need)) return
    const lacking = need === 'session' ? 'needs a person who signed in; a token is not enough' : `needs the right ${need}`
    throw new RedriveError('not-allowed', `This ${lacking}.`)
  }

  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    void reply.header('cache-control', 'no-store')
    if (request.headers['content-encoding'] !== undefined) {
      throw new RedriveError('wrong-media-type', 'Content-Encoding: compressed requests are not taken.')
    }
    const { rule } = request.routeOptions.config
    if (!rule) return
    if (rule.need !== 'nothing') request.principal = (await authenticate(request, context, 'use')) ?? null
    try {
      refuseForeign(request)
      if (rule.need !== 'nothing') refuseUnlessAllowed(request, rule)
    } catch (error) {
      await noteDenial(request, rule, error)
      throw error
    }
  })

  /** Of somebody. What strangers try is not noted one by one: they could fill the disk with it. */
  async function noteDenial(request: FastifyRequest, rule: RouteRule, error: unknown): Promise<void> {
    if (!request.principal || !(error instanceof RedriveError)) return
    const { principal, ip: address } = request
    const detail = { code: error.code }
    request.isDenialNoted = true
    await audit.note({ actor: principal.name, address, action: rule.action, object: objectOf(request), detail, result: 'denied' })
  }
}

function senderOf({ headers }: FastifyRequest): Sender {
  const site = headers['sec-fetch-site']
  return { origin: headers.origin, secFetchSite: Array.isArray(site) ? site.join() : site, host: headers.host }
}
