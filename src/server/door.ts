import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasCode, RedriveError } from '../core/errors.ts'
import type { User } from '../vault/operations/accounts.ts'
import type { AuditResult } from '../vault/operations/audit.ts'
import type { Context } from './api.ts'
import type { Noted } from './audit-trail.ts'
import type { Principal } from './principal.ts'

/** Coming in, and the notes about it, for the API and for the plain page alike. */
export interface Door {
  note(request: FastifyRequest, actor: string, action: string, result: AuditResult, detail?: Noted['detail']): Promise<void>
  /** Notes that somebody was refused, and refuses them. */
  noteFailure(request: FastifyRequest, claimed: string, action: string, error: unknown): Promise<never>
  /** Begins a session and sets its cookie. The one that was brought along is over. */
  enter(user: User, request: FastifyRequest, reply: FastifyReply): Promise<Principal>
  /** Sets a password with the token of a one-time link, and enters. */
  redeem(given: { token: string; password: string }, request: FastifyRequest, reply: FastifyReply): Promise<Principal>
}

export function createDoor({ accounts, audit, cookie, vault }: Context): Door {
  const note: Door['note'] = (request, actor, action, result, detail = {}) =>
    audit.note({ actor, address: request.ip, action, object: '/session', result, detail })

  /** Names that are not users' are not written down: people type passwords into the wrong field. */
  async function noteFailure(request: FastifyRequest, claimed: string, action: string, error: unknown): Promise<never> {
    // Those who are told to wait were noted when they guessed.
    if (!hasCode(error, 'too-many-attempts')) {
      const known = await vault.read('findCredentials', { name: claimed })
      await note(request, known?.user.name ?? '(nobody)', action, 'denied')
    }
    throw error
  }

  async function enter(user: User, request: FastifyRequest, reply: FastifyReply): Promise<Principal> {
    const before = cookie.read(request)
    if (before !== undefined) await accounts.endSession(before)
    const secret = await accounts.beginSession(user, request.ip)
    cookie.set(reply, secret)
    const principal = await accounts.bySession(secret, 'use')
    if (!principal) throw new RedriveError('not-signed-in', 'The account was changed at this moment. Sign in again.')
    return principal
  }

  return {
    note,
    noteFailure,
    enter,
    async redeem({ token, password }, request, reply) {
      const user = await accounts
        .redeemLink(token, password, request.ip)
        .catch((error: unknown) => noteFailure(request, '', 'setup.redeem', error))
      await note(request, user.name, 'setup.redeem', 'done')
      return enter(user, request, reply)
    },
  }
}
