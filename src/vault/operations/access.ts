import { changeUser, createUser, findCredentials, listUsers, setPassword, showUser } from './accounts.ts'
import { appendAudit, listAudit, verifyAudit } from './audit.ts'
import { enterFromIssuer, keepOutFromIssuer } from './enter-from-issuer.ts'
import { beginRequest, finishRequest } from './idempotency.ts'
import { findLink, issueLink, openFirstDoor, redeemLink } from './one-time-links.ts'
import { beginSession, endSession, findSession, touchSession } from './sessions.ts'
import { findToken, issueToken, listTokens, revokeToken } from './tokens.ts'

/** What changes who may come in, and what is noted about it. */
export interface AccessWrites {
  readonly createUser: typeof createUser
  readonly changeUser: typeof changeUser
  readonly setPassword: typeof setPassword
  readonly enterFromIssuer: typeof enterFromIssuer
  readonly keepOutFromIssuer: typeof keepOutFromIssuer
  readonly openFirstDoor: typeof openFirstDoor
  readonly issueLink: typeof issueLink
  readonly redeemLink: typeof redeemLink
  readonly beginSession: typeof beginSession
  readonly touchSession: typeof touchSession
  readonly endSession: typeof endSession
  readonly issueToken: typeof issueToken
  readonly revokeToken: typeof revokeToken
  readonly beginRequest: typeof beginRequest
  readonly finishRequest: typeof finishRequest
  readonly appendAudit: typeof appendAudit
}

export const accessWrites: AccessWrites = {
  createUser,
  changeUser,
  setPassword,
  enterFromIssuer,
  keepOutFromIssuer,
  openFirstDoor,
  issueLink,
  redeemLink,
  beginSession,
  touchSession,
  endSession,
  issueToken,
  revokeToken,
  beginRequest,
  finishRequest,
  appendAudit,
}

export interface AccessReads {
  readonly showUser: typeof showUser
  readonly listUsers: typeof listUsers
  readonly findCredentials: typeof findCredentials
  readonly findLink: typeof findLink
  readonly findSession: typeof findSession
  readonly findToken: typeof findToken
  readonly listTokens: typeof listTokens
  readonly listAudit: typeof listAudit
  readonly verifyAudit: typeof verifyAudit
}

export const accessReads: AccessReads = {
  showUser,
  listUsers,
  findCredentials,
  findLink,
  findSession,
  findToken,
  listTokens,
  listAudit,
  verifyAudit,
}
