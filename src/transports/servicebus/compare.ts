import type { TopicProperties } from '@azure/service-bus'
import type { Address } from '../seam.ts'
import type { Finding, WantedChannel } from '../topology.ts'
import { pathOf } from './bus.ts'
import { durationFrom } from './iso-duration.ts'
import type { Settings } from './options.ts'
import type { Entity } from './provision.ts'
import { roomAboveTurns } from './provision.ts'

/** Every way in which an entity is not as a consumer needs it; to a subscription belongs the topic to which its messages are sent. */
export function compare(channel: WantedChannel, entity: Entity, settings: Settings, topic?: TopicProperties): readonly Finding[] {
  const { address } = channel
  if (address.part !== undefined) return []
  const found = [
    ...sessionsOf(channel, entity, settings),
    ...deadLettersOf(channel, entity),
    ...limitsOf(channel, entity),
    ...expiryOf(channel, entity),
    ...duplicatesOf(channel, topic ?? entity, settings),
    ...copiesOf(channel, settings),
  ]
  return found.map(([severity, what, message]) => ({ severity, address, what, message: `${pathOf(address)} ${message}` }))
}

type Difference = readonly [severity: 'fatal' | 'warning', what: string, message: string]

function sessionsOf({ lanes, role }: WantedChannel, { requiresSession }: Entity, { sessions }: Settings): Difference[] {
  if (sessions && !requiresSession)
    return [
      [
        'fatal',
        'no-sessions',
        'does not require sessions, and the transport was told to use them: create it anew with sessions.',
      ],
    ]
  if (!sessions && requiresSession && role === 'work')
    return [['fatal', 'sessions', 'requires sessions: set the option sessions to true.']]
  return lanes && !sessions
    ? [['warning', 'no-order', 'keeps no order: messages of one key stay in order only in sessions (option sessions).']]
    : []
}

function deadLettersOf({ address, deadLetterTo }: WantedChannel, { forwardDeadLetteredMessagesTo }: Entity): Difference[] {
  if (deadLetterTo === undefined) return []
  const forward = forwardDeadLetteredMessagesTo?.replace(/^\w+:\/\/[^/]+\//, '')
  const wanted = isOwnGrave(address, deadLetterTo) ? undefined : deadLetterTo.name
  if (forward?.toLowerCase() === wanted?.toLowerCase()) return []
  const goes = forward === undefined ? 'into its own sub-queue' : `to ${forward}`
  return [
    [
      'fatal',
      'dead-letter-differs',
      `sends its dead letters ${goes}, and not to ${pathOf(deadLetterTo)}: change one of the two.`,
    ],
  ]
}

function isOwnGrave(address: Address, { name, group, part }: Address): boolean {
  return part === 'dead-letter' && name === address.name && group === address.group
}

function limitsOf({ maxTurns }: WantedChannel, { maxDeliveryCount }: Entity): Difference[] {
  if (maxTurns === undefined || maxDeliveryCount >= maxTurns + roomAboveTurns) return []
  const needed = maxTurns + roomAboveTurns
  return [
    [
      'warning',
      'delivery-limit-low',
      `has a MaxDeliveryCount of ${maxDeliveryCount}; set it to ${needed} or more, because what is given back untried counts there too.`,
    ],
  ]
}

function expiryOf({ ttl }: WantedChannel, entity: Entity): Difference[] {
  const actual = durationFrom(entity.defaultMessageTimeToLive)
  const differences: Difference[] = []
  if (ttl !== undefined && actual !== ttl)
    differences.push(['warning', 'ttl-differs', `has a time to live of ${actual} ms, and not of ${ttl} ms.`])
  if (actual !== Number.POSITIVE_INFINITY && !entity.deadLetteringOnMessageExpiration)
    differences.push(['fatal', 'expiry-loses', 'drops messages that expire: switch dead-lettering on expiration on.'])
  return differences
}

/**
 * A copy has the id of its original: an entity that detects duplicates would drop it, and confirm it all the same. Where no retry is a copy,
 * replays still are.
 */
function duplicatesOf({ address, role }: WantedChannel, sentTo: Entity | TopicProperties, { retry }: Settings): Difference[] {
  if (!('requiresDuplicateDetection' in sentTo) || !sentTo.requiresDuplicateDetection) return []
  const detects = address.group === undefined ? 'detects duplicates' : 'belongs to a topic that detects duplicates'
  if (role === 'work' && retry === 'abandon')
    return [
      [
        'warning',
        'duplicates-dropped',
        `${detects}, and a replay that comes back to it soon would be dropped without a word: send replays elsewhere.`,
      ],
    ]
  return [
    [
      'fatal',
      'duplicates-dropped',
      `${detects}, and would drop the copy of a retry or of a replay without a word: create it anew without, or retry by abandon.`,
    ],
  ]
}

/** A copy for one subscription cannot be sent: without another way, whatever fails would be held until it is given up, over and over. */
function copiesOf({ address, role }: WantedChannel, { retry }: Settings): Difference[] {
  if (address.group === undefined || role !== 'work' || retry === 'abandon') return []
  return [
    [
      'fatal',
      'no-copy-for-one',
      "is a subscription, to which no copy of a retry can be sent alone: set the option retry to 'abandon', or forward it to a queue.",
    ],
  ]
}
