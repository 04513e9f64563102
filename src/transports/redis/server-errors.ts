import { type ErrorCode, RedriveError } from '../../core/errors.ts'

interface Meaning {
  readonly code: ErrorCode
  readonly advice: string
}

const moving = 'The slot of these keys is being moved to another node; try again.'

/** By the first word of the answer. Whoever answers with one of these has done nothing. */
const meanings: Readonly<Record<string, Meaning>> = {
  NOGROUP: { code: 'unknown-channel', advice: 'The stream or its consumer group does not exist; provision first.' },
  NOPERM: { code: 'access-denied', advice: 'The user lacks a right; docs/redis.md lists those that it needs.' },
  NOAUTH: { code: 'access-denied', advice: 'The server demands a user and a password; give them in the url.' },
  WRONGPASS: { code: 'access-denied', advice: 'The server refused the user or the password.' },
  DENIED: { code: 'access-denied', advice: 'The server is in protected mode: give it a password.' },
  READONLY: { code: 'unreachable', advice: 'The server is a read-only replica: connect to the primary.' },
  OOM: { code: 'refused', advice: 'The server has reached maxmemory; make room or raise it.' },
  MISCONF: { code: 'refused', advice: 'The server cannot write to its disk; make room, or see its log.' },
  NOREPLICAS: { code: 'refused', advice: 'Too few replicas are connected for min-replicas-to-write.' },
  LOADING: { code: 'unreachable', advice: 'The server is still reading its file.' },
  MASTERDOWN: { code: 'unreachable', advice: 'The server is a replica without its primary.' },
  CLUSTERDOWN: { code: 'unreachable', advice: 'The cluster does not serve these keys now.' },
  BUSY: { code: 'unreachable', advice: 'The server is busy with a script of somebody else.' },
  TRYAGAIN: { code: 'unreachable', advice: moving },
  ASK: { code: 'unreachable', advice: moving },
  CROSSSLOT: {
    code: 'bad-option',
    advice: 'In a cluster all channels must share a slot: use a prefix with braces such as {redrive}:.',
  },
  WRONGTYPE: { code: 'refused', advice: 'A key of this channel holds something else than we wrote there; use another prefix.' },
}

/** What a script is told of a command that its user may not run; it has no first word of its own. */
const deniedWithin = /The user executing the script|ACL failure in script/

const unforeseen: Meaning = { code: 'refused', advice: 'Nothing was done.' }

/** A script says where it was when one of its commands was refused. What it had written by then stays. */
const stoppedWithin = /, on @user_script:\d+/
const halfDone: Meaning = {
  code: 'unsure',
  advice: 'Part of it may have been done: does a key of this channel hold something else?',
}

/** The text of the server is left out: it may quote what it was given. */
export function answeredError(answer: string): RedriveError {
  const word = deniedWithin.test(answer) ? 'NOPERM' : firstWord(answer)
  const meaning = meanings[word] ?? unforeseen
  // All others are said to the first write, if not before it.
  const isHalfDone = stoppedWithin.test(answer) && (meaning === unforeseen || word === 'WRONGTYPE')
  const { code, advice } = isHalfDone ? halfDone : meaning
  return new RedriveError(code, `Redis answered with ${word}. ${advice}`)
}

/** What the client says where no answer came: it may have been done. */
export function silentError(cause: unknown): RedriveError {
  return new RedriveError('unsure', 'The connection to Redis was lost before it answered.', { cause })
}

export function connectError(error: unknown): RedriveError {
  if (error instanceof RedriveError) return error
  if (isAnswer(error)) return answeredError(error.message)
  return new RedriveError('unreachable', 'Redis cannot be reached; nothing was done.', { cause: error })
}

/** Whether the server said it, and not the client about its connection. */
export function isAnswer(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ReplyError'
}

/** A script that fails wraps what a command of it said. */
export function firstWord(answer: string): string {
  return /^(?:ERR Error running script.*?: )?-?([A-Z]+)\b/.exec(answer)?.[1] ?? 'ERR'
}
