import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api, Context } from './api.ts'
import type { Noted } from './audit-trail.ts'
import type { RouteRule } from './route-rule.ts'

/**
 * Notes what is done with letters. What cannot be noted is not done: a write stands in the trail before it happens, and a look at a payload
 * before anything of it is shown. What became of either is noted before its answer leaves.
 */
export function addNoting(app: Api, { audit }: Context): void {
  app.decorateRequest('isAttempted', false)
  app.decorateRequest('isDenialNoted', false)

  app.addHook('preHandler', async (request) => {
    const { rule } = request.routeOptions.config
    if (!rule || !request.principal || (rule.audit !== 'write' && rule.audit !== 'payload')) return
    await audit.note({ ...about(request, rule), result: 'attempted' })
    request.isAttempted = true
  })

  app.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply) => {
    const { rule } = request.routeOptions.config
    const { statusCode } = reply
    if (!rule) return
    if (isUnnotedDenial(request, rule, statusCode)) return noteDenial(request, rule)
    if (!request.isAttempted) return
    request.isAttempted = false
    const result = statusCode === 403 ? 'denied' : statusCode < 400 ? 'done' : 'failed'
    await audit.noteAfterwards({ ...about(request, rule), detail: { status: statusCode }, result })
  })

  /** Where whose letters they are is known only while it is answered: a look that was refused then has no other row. */
  async function noteDenial(request: FastifyRequest, rule: RouteRule): Promise<void> {
    request.isDenialNoted = true
    const { detail, ...noted } = about(request, rule)
    await audit.noteAfterwards({ ...noted, detail: { ...detail, status: 403 }, result: 'denied' })
  }
}

function isUnnotedDenial(request: FastifyRequest, rule: RouteRule, statusCode: number): boolean {
  if (statusCode !== 403 || !request.principal || rule.audit === 'own') return false
  return !request.isAttempted && !request.isDenialNoted
}

export function objectOf({ url }: FastifyRequest): string {
  return (url.split('?', 1)[0] ?? '').replace('/api/v1', '').slice(0, 200)
}

function about(request: FastifyRequest, { action, noted = [] }: RouteRule): Omit<Noted, 'result'> {
  const { principal, ip: address, query, body } = request
  const fields = { ...(query as object), ...(body as object | undefined) } as Record<string, unknown>
  const detail = Object.fromEntries(noted.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]))
  const token = principal?.by.kind === 'token' ? { token: principal.by.id } : {}
  return { actor: principal?.name ?? '', address, action, object: objectOf(request), detail: { ...detail, ...token } }
}
