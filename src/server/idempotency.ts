import { Buffer } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RedriveError } from '../core/errors.ts'
import type { Answer } from '../vault/operations/idempotency.ts'
import type { Api, Context } from './api.ts'
import { principalOf } from './api.ts'

const remembered = 24 * 60 * 60_000
const form = /^[\x21-\x7e]{1,128}$/

/**
 * A client that lost an answer asks again with the same `Idempotency-Key` and gets that answer; nothing is done twice. The key belongs to
 * whoever sent it, and to one request: the same method, address, body and `If-Match`.
 */
export function addIdempotency(app: Api, { vault, clock }: Context, onProblem: (problem: unknown) => void): void {
  app.decorateRequest('idempotencyKey', null)

  app.addHook('preHandler', async (request, reply) => {
    const key = request.headers['idempotency-key']
    if (key === undefined || request.routeOptions.config.rule?.audit !== 'write') return
    if (typeof key !== 'string' || !form.test(key)) {
      throw new RedriveError('bad-request', 'Idempotency-Key: 1 to 128 characters of plain ASCII without spaces.')
    }
    const begun = await vault.write('beginRequest', {
      actor: principalOf(request).name,
      key,
      request: fingerprintOf(request),
      now: clock.now(),
      forgetBefore: clock.now() - remembered,
    })
    switch (begun.kind) {
      case 'new':
        request.idempotencyKey = key
        return
      case 'other':
        throw new RedriveError('key-reused', 'This Idempotency-Key was used with another request.')
      case 'running':
        throw new RedriveError(
          'conflict',
          'The first request with this Idempotency-Key has no answer yet. If it never gets one, look at what became of it before you try with a new key.',
        )
      case 'done':
        return repeat(reply, begun)
    }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const { idempotencyKey: key, principal } = request
    if (key === null || !principal) return
    const isKept = typeof payload === 'string' && request.routeOptions.config.rule?.answersSecret !== true
    const etag = reply.getHeader('etag')
    const kept = { body: isKept ? payload : null, etag: typeof etag === 'string' ? etag : null }
    const answer = { actor: principal.name, key, status: reply.statusCode, ...kept }
    // The work is done: that its answer cannot be repeated is no reason to hide it.
    await vault.write('finishRequest', answer).catch(onProblem)
  })
}

function repeat(reply: FastifyReply, { status, body, etag }: Answer): FastifyReply {
  if (body === null && status !== 204) {
    throw new RedriveError('conflict', 'This was done already, and its answer held a secret that is shown only once.')
  }
  void reply.code(status).header('idempotency-replayed', 'true')
  if (etag !== null) void reply.header('etag', etag)
  if (body === null) return reply.send()
  const type = status < 400 ? 'application/json' : 'application/problem+json'
  return reply.header('content-type', `${type}; charset=utf-8`).send(Buffer.from(body))
}

function fingerprintOf({ method, url, body, headers }: FastifyRequest): string {
  const ifMatch = headers['if-match'] === undefined ? [] : [headers['if-match']]
  return hash('sha256', JSON.stringify([method, url, body ?? null, ...ifMatch]))
}
