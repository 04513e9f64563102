import { type ErrorCode, RedriveError } from '../../core/errors.ts'

interface Meaning {
  readonly code: ErrorCode
  readonly advice: string
}

const noTopic: Meaning = { code: 'unknown-channel', advice: 'The topic does not exist; provision first.' }
const noGroup: Meaning = { code: 'unknown-channel', advice: 'The consumer group does not exist; provision first.' }
const denied: Meaning = { code: 'access-denied', advice: 'A right is missing; docs/rocketmq.md lists those that are needed.' }
const busy: Meaning = { code: 'refused', advice: 'It has too much to do; it may be asked again later. Nothing was done.' }
const tooLarge: Meaning = { code: 'too-large', advice: 'The message is larger than the broker takes.' }
const badContent: Meaning = { code: 'bad-message', advice: 'The message holds what RocketMQ does not take.' }
const wrongKind: Meaning = { code: 'bad-message', advice: 'The topic takes another kind of message: see the option topics.' }
const badTime: Meaning = { code: 'unsupported', advice: 'The proxy takes no such time; its configuration has the limits.' }
const handleGone: Meaning = { code: 'hold-lost', advice: 'The message is no longer ours.' }
const notDone: Meaning = { code: 'unsure', advice: 'It may have been done.' }

/** By the code in an answer of the proxy. */
const ofProxy: Readonly<Record<number, Meaning>> = {
  40002: noTopic,
  40004: badContent,
  40005: badContent,
  40006: badContent,
  40007: badContent,
  40009: badContent,
  40011: badTime,
  40012: badTime,
  40013: handleGone,
  40014: wrongKind,
  40016: badContent,
  40018: badTime,
  40100: denied,
  40300: denied,
  40402: noTopic,
  40403: noGroup,
  40800: notDone,
  41300: tooLarge,
  41301: tooLarge,
  41302: badContent,
  42900: busy,
  43100: tooLarge,
  43101: tooLarge,
}

/** By the code in an answer of a broker or a name server. */
const ofBroker: Readonly<Record<number, Meaning>> = {
  2: busy,
  13: badContent,
  16: denied,
  17: noTopic,
  26: noGroup,
}

/** The text of the server is left out: it may quote what is in a message. */
export function proxyError(code: number): RedriveError {
  return answered('The RocketMQ proxy', code, ofProxy[code] ?? (code < 50_000 ? { code: 'refused', advice: '' } : notDone))
}

export function brokerError(code: number): RedriveError {
  return answered('RocketMQ', code, ofBroker[code] ?? { code: 'refused', advice: '' })
}

function answered(who: string, number: number, { code, advice }: Meaning): RedriveError {
  return new RedriveError(code, `${who} answered with ${number}. ${advice}`.trim())
}

/** Before a connection there was no request. */
const neverSent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|No connection established|Name resolution failed/

/** What gRPC or a socket says when there is no answer. */
export function lostError(error: unknown): RedriveError {
  if (error instanceof RedriveError) return error
  const { message = '', code, details = '' } = (error ?? {}) as { message?: string; code?: number | string; details?: string }
  if (neverSent.test(`${String(code)} ${message} ${details}`))
    return new RedriveError('unreachable', 'RocketMQ cannot be reached; nothing was done.')
  return new RedriveError('unsure', 'The connection to RocketMQ was lost before it answered.', { cause: error })
}
