import { formatDuration } from '../../core/duration.ts'
import type { Diagnosis, PatientChannel } from '../tools.ts'
import type { Right } from './probe-rights.ts'
import type { QueueArguments } from './queue-arguments.ts'

/** What the doctor can say, each from what was seen and nothing else. Pure. */

/** What the management API would have told. */
export function blind(why: string): readonly Diagnosis[] {
  const unseen = ['policies', 'bindings', 'alarms', 'auto-named queues', 'what other consumers hold']
  return unseen.map((what) => ({
    severity: 'unknown',
    about: 'broker',
    what: `${what.replaceAll(' ', '-')}-unseen`,
    message: `Nothing is known about ${what}: the management API ${why}`,
  }))
}

/** The suite passes from here on. */
const oldestTested = [3, 10] as const

export function version(found: string): Diagnosis {
  const [major = 0, minor = 0] = found.split('.').map(Number)
  const isOld = major < oldestTested[0] || (major === oldestTested[0] && minor < oldestTested[1])
  if (!isOld) return { severity: 'fine', about: 'broker', what: 'version', message: `RabbitMQ ${found}.` }
  const message = `RabbitMQ ${found} is older than 3.10, on which nothing was tested: upgrade it.`
  return { severity: 'warning', about: 'broker', what: 'version-untested', message }
}

export function alarms(resources: readonly string[]): readonly Diagnosis[] {
  if (resources.length === 0) return [{ severity: 'fine', about: 'broker', what: 'alarms', message: 'No alarm is in effect.' }]
  const message = `The broker is short of ${resources.join(' and ')} and takes no messages: retries and letters wait. Make room.`
  return [{ severity: 'fatal', about: 'broker', what: 'alarm', message }]
}

/** They belong to a connection that nobody knows; what is in them cannot be found again by a name. */
export function autoNamed(names: readonly string[]): readonly Diagnosis[] {
  const found = names.filter((name) => name.startsWith('amq.gen-'))
  if (found.length === 0) return []
  const message = `${found.length} queues were named by the broker, such as ${found[0]}: nobody finds them again. Name them, and make them durable.`
  return [{ severity: 'warning', about: 'broker', what: 'auto-named', message }]
}

/** Rejecting on a classic queue hands the message over in memory: a crash in that moment loses it. */
export function nativeDeadLettering({ wanted, deadLettering }: PatientChannel, found: QueueArguments): readonly Diagnosis[] {
  const { name } = wanted.address
  if (deadLettering !== 'native' || found['x-dead-letter-strategy'] === 'at-least-once') return []
  const isQuorum = found['x-queue-type'] === 'quorum'
  const kind = isQuorum ? 'a quorum queue that dead-letters at most once' : 'a classic queue'
  const cure = isQuorum ? 'Set x-dead-letter-strategy to at-least-once and x-overflow to reject-publish' : 'Use a quorum queue'
  const message = `${name} is ${kind} and dead-letters natively, which can lose messages when the broker crashes. ${cure}, or deadLettering: 'annotated'.`
  return [{ severity: 'warning', about: name, what: 'native-can-lose', message }]
}

/** Nothing expires while it is held, and all of it at once when it is given back. */
export function ttlWithHold(
  { wanted, onDeadLetterFailure, maxHold }: PatientChannel,
  found: QueueArguments,
): readonly Diagnosis[] {
  const { name } = wanted.address
  const ttl = found['x-message-ttl']
  if (typeof ttl !== 'number' || onDeadLetterFailure !== 'hold' || ttl > maxHold) return []
  const message = `${name} lets messages expire after ${formatDuration(ttl)}, and maxHold is ${formatDuration(maxHold)}: what is held while the dead-letter channel is down expires the moment it is given back, and what waits behind a paused channel becomes a letter without a run. Make the TTL longer, or maxHold shorter.`
  return [{ severity: 'warning', about: name, what: 'ttl-below-hold', message }]
}

export function consumerTimeout(
  { wanted, maxHold }: PatientChannel,
  found: QueueArguments,
  brokersOwn: number,
): readonly Diagnosis[] {
  const { name } = wanted.address
  const queuesOwn = found['x-consumer-timeout']
  const limit = typeof queuesOwn === 'number' ? queuesOwn : brokersOwn
  if (maxHold < limit) return []
  const message = `${name} may hold a message for ${formatDuration(maxHold)}, but the broker takes it away after ${formatDuration(limit)} and closes the channel with everything on it. Lower maxHold, or raise consumer_timeout and tell it as consumerTimeout.`
  return [{ severity: 'warning', about: name, what: 'hold-outlives-consumer-timeout', message }]
}

/** It stands in the broker's configuration file, and no API tells it. */
export function consumerTimeoutUnseen(taken: number): Diagnosis {
  const message = `The broker's own consumer_timeout cannot be asked for; ${formatDuration(taken)} is assumed. If it is set to something else, give consumerTimeout.`
  return { severity: 'unknown', about: 'broker', what: 'consumer-timeout-unseen', message }
}

/** Only an alternate exchange catches what is dead-lettered when the last binding is gone. */
export function withoutAlternate(
  { wanted }: PatientChannel,
  exchange: string,
  alternate: string | undefined,
): readonly Diagnosis[] {
  const { name } = wanted.address
  if (alternate !== undefined) return []
  const message = `${name} dead-letters to the exchange ${exchange}, which has no alternate exchange: should its binding go, letters are lost in silence. Give it one, or dead-letter to the default exchange.`
  return [{ severity: 'warning', about: name, what: 'no-alternate-exchange', message }]
}

/** Whoever steals the password of a consumer should get no more than the consumer needs. */
export function rights(tooFar: readonly Right[]): Diagnosis {
  if (tooFar.length === 0)
    return { severity: 'fine', about: 'broker', what: 'rights', message: 'This user may use no queues of others.' }
  const message = `This user may ${tooFar.join(', ')} queues and exchanges of any name, and needs only its own: set its permissions as docs/rabbitmq.md says.`
  return { severity: 'warning', about: 'broker', what: 'rights-too-wide', message }
}

export function defaultUser(names: readonly string[]): readonly Diagnosis[] {
  if (!names.includes('guest')) return []
  const message = 'The user is guest, whose password everybody knows: make one of its own, and delete guest.'
  return [{ severity: 'warning', about: 'broker', what: 'default-user', message }]
}

/** Looking needs no more. */
const lookingTags: readonly string[] = ['management', 'monitoring']

export function managementTags(tags: readonly string[]): readonly Diagnosis[] {
  const tooMany = tags.filter((tag) => !lookingTags.includes(tag))
  if (tooMany.length === 0) return []
  const message = `The user of the management API has the tag ${tooMany.join(', ')}, and only looks: the tag management is enough.`
  return [{ severity: 'warning', about: 'broker', what: 'management-too-wide', message }]
}
