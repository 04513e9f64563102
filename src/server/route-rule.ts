import type { RouteOptions } from 'fastify'
import type { Principal } from './principal.ts'
import type { Need } from './rights.ts'

/** What a route says about itself besides what it takes and gives. */
export interface RouteRule {
  readonly need: Need
  /** What it is called in the audit trail. */
  readonly action: string
  /**
   * - `write`: noted before it is done, and what became of it. Takes an `Idempotency-Key`.
   * - `payload`: it shows something of a payload, and is noted in the same way.
   * - `metadata`: only noted when it is refused.
   * - `own`: the route notes by itself, because who it is about is only known to it.
   */
  readonly audit: 'write' | 'payload' | 'metadata' | 'own'
  /** Fields of the request that may stand in the audit trail. Never one that can hold a payload or a secret. */
  readonly noted?: readonly string[]
  /** Whether it takes the `ETag` of what is changed as `If-Match`, or refuses without it. */
  readonly ifMatch?: 'taken' | 'needed'
  /** The answer holds a secret that is shown once: it is not kept for a repeated `Idempotency-Key`. */
  readonly answersSecret?: boolean
}

export interface ListedRoute {
  readonly method: string
  readonly url: string
  readonly rule: RouteRule
}

declare module 'fastify' {
  interface FastifyContextConfig {
    rule?: RouteRule
  }
  interface FastifyRequest {
    principal: Principal | null
    /** The key under which the answer is kept. */
    idempotencyKey: string | null
    /** The audit trail says `attempted` and waits for what became of it. */
    isAttempted: boolean
    /** The audit trail says already that it was refused. */
    isDenialNoted: boolean
  }
}

/** Throws at start when a route forgot to say who may use it: then nobody could tell whether it is safe. */
export function listedRoutes(route: RouteOptions): readonly ListedRoute[] {
  const { method, url } = route
  const rule = route.config?.rule
  if (!rule) throw new Error(`The route ${String(method)} ${url} does not say which right it needs.`)
  return [method].flat().map((name) => ({ method: name, url, rule }))
}
