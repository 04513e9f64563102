import { hkdfSync } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../core/ports.ts'
import type { Attempt } from '../oidc/issuer.ts'
import { open, seal } from '../vault/sealing/aes-gcm.ts'
import type { Draw } from './secrets.ts'

/** Somebody who is on their way to the issuer and back. */
export interface Underway extends Attempt {
  /** Where they wanted to go. */
  readonly returnTo: string
}

/** Attempts are kept by the browsers that make them: strangers fill nobody's disk with them, and any control plane takes up what another began. */
export interface LoginAttempts {
  begin(reply: FastifyReply, underway: Underway): void
  /** The attempt of this browser, which is over with that whatever becomes of it. */
  take(request: FastifyRequest, reply: FastifyReply): Underway | undefined
}

export interface LoginAttemptsOptions {
  readonly secure: boolean
  readonly clock: Clock
  readonly draw: Draw
  /** What all control planes of one configuration know and nobody else does. */
  readonly clientSecret: string
}

const lifetime = 10 * 60_000

const kept = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  redirectUri: z.string(),
  returnTo: z.string(),
  until: z.number(),
})

/** Sealed, so that a browser can neither read nor choose what it holds. `Lax`, because the issuer sends the browser back from another site. */
export function createLoginAttempts({ secure, clock, draw, clientSecret }: LoginAttemptsOptions): LoginAttempts {
  const name = secure ? '__Host-redrive-login' : 'redrive-login'
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const
  const key = new Uint8Array(hkdfSync('sha256', clientSecret, '', 'redrive login attempt', 32))
  const about = 'login attempt'

  function read(cookie: string): z.output<typeof kept> | undefined {
    const plain = open(key, about, Buffer.from(cookie, 'base64url'))
    return plain && kept.safeParse(JSON.parse(Buffer.from(plain).toString())).data
  }

  return {
    begin(reply, underway) {
      const plain = Buffer.from(JSON.stringify({ ...underway, until: clock.now() + lifetime }))
      const cookie = Buffer.from(seal(key, about, plain, draw)).toString('base64url')
      void reply.setCookie(name, cookie, { ...attributes, maxAge: lifetime / 1000 })
    },
    take(request, reply) {
      const cookie = request.cookies[name]
      if (cookie === undefined) return undefined
      void reply.clearCookie(name, attributes)
      const found = read(cookie)
      if (!found || found.until <= clock.now()) return undefined
      const { until, ...underway } = found
      return underway
    },
  }
}
