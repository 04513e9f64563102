import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface SessionCookie {
  read(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, secret: string): void
  clear(reply: FastifyReply): void
}

/**
 * `__Host-` makes browsers refuse a cookie of this name that a subdomain or plain HTTP tries to set. Browsers take such a cookie only over
 * https, so that development on plain-HTTP loopback has a plain one instead.
 */
export function createSessionCookie(secure: boolean): SessionCookie {
  const name = secure ? '__Host-redrive' : 'redrive'
  const attributes = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const
  return {
    read: (request) => request.cookies[name],
    set: (reply, secret) => void reply.setCookie(name, secret, attributes),
    clear: (reply) => void reply.clearCookie(name, attributes),
  }
}
