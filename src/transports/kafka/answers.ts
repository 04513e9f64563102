import { RedriveError } from '../../core/errors.ts'

/** The broker's error codes that mean something to us. */
export const codes = {
  unknownServerError: -1,
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  leaderNotAvailable: 5,
  notLeader: 6,
  requestTimedOut: 7,
  replicaNotAvailable: 9,
  messageTooLarge: 10,
  offsetMetadataTooLarge: 12,
  coordinatorLoading: 14,
  coordinatorNotAvailable: 15,
  notCoordinator: 16,
  invalidTopic: 17,
  recordListTooLarge: 18,
  notEnoughReplicas: 19,
  notEnoughReplicasAfterAppend: 20,
  illegalGeneration: 22,
  inconsistentProtocol: 23,
  unknownMember: 25,
  rebalanceInProgress: 27,
  topicAuthorization: 29,
  groupAuthorization: 30,
  clusterAuthorization: 31,
  topicExists: 36,
  notController: 41,
  outOfOrderSequence: 45,
  duplicateSequence: 46,
  invalidProducerEpoch: 47,
  invalidProducerIdMapping: 49,
  storageError: 56,
  unknownProducerId: 59,
  fencedLeaderEpoch: 74,
  unknownLeaderEpoch: 75,
  memberIdRequired: 79,
  fencedInstance: 82,
  invalidRecord: 87,
  unknownTopicId: 100,
} as const

/** What came back: every answer holds codes of its own, so an error that the broker told is an answer and not a failure. */
export interface Answer<T> {
  /** The first code that is no success; 0 without one. */
  readonly code: number
  readonly response: T
}

/**
 * Rejects only when no answer came: with `unsure`, because the request may have been carried out. The library throws where an
 * answer holds an error, with the answer in it.
 */
export async function answerTo<T>(asked: Promise<T>): Promise<Answer<T>> {
  try {
    return { code: codes.none, response: await asked }
  } catch (error) {
    const told = error as { readonly response?: T; readonly errors?: readonly { readonly apiCode?: number }[] }
    const code = told.errors?.[0]?.apiCode
    if (told.response !== undefined && code !== undefined) return { code, response: told.response }
    throw new RedriveError('unsure', 'The connection to Kafka was lost before it answered.', { cause: error })
  }
}

/** The broker that was asked is not, or not yet, the one that knows: asking again elsewhere may help. */
const passing: ReadonlySet<number> = new Set([
  codes.leaderNotAvailable,
  codes.notLeader,
  codes.requestTimedOut,
  codes.replicaNotAvailable,
  codes.coordinatorLoading,
  codes.coordinatorNotAvailable,
  codes.notCoordinator,
  codes.notEnoughReplicas,
  codes.notEnoughReplicasAfterAppend,
  codes.notController,
  codes.storageError,
  codes.fencedLeaderEpoch,
  codes.unknownLeaderEpoch,
  codes.unknownTopicId,
])

export function isPassing(code: number): boolean {
  return passing.has(code)
}

/** An error code as users meet it. `what` completes "Kafka refused …". */
export function refusal(code: number, what: string, name: string): RedriveError {
  switch (code) {
    case codes.unknownTopic:
      return new RedriveError('unknown-channel', `There is no topic "${name}".`)
    case codes.invalidTopic:
      return new RedriveError(
        'bad-option',
        `"${name}" is no name for a topic: letters, digits, dots, dashes and underscores, at most 249.`,
      )
    case codes.topicAuthorization:
      return denied(what, `topic "${name}"`)
    case codes.groupAuthorization:
      return denied(what, `group "${name}"`)
    case codes.clusterAuthorization:
      return denied(what, 'cluster')
    case codes.messageTooLarge:
    case codes.recordListTooLarge:
      return new RedriveError('too-large', `The message is larger than topic "${name}" takes (max.message.bytes).`)
    case codes.inconsistentProtocol:
      return new RedriveError(
        'refused',
        `Group "${name}" has members that are not consumers of Redrive: stop them, or use another group.`,
      )
    default:
      return new RedriveError(isPassing(code) ? 'unreachable' : 'refused', `Kafka refused ${what}: error ${code}.`)
  }
}

function denied(what: string, resource: string): RedriveError {
  return new RedriveError('access-denied', `Kafka refused ${what}: no rights on ${resource}. Ask for an ACL.`)
}
