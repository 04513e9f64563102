import type { Finding, WantedChannel } from '../topology.ts'
import { compareExchange, type DeadLetterExchange } from './dead-letter-exchange.ts'
import { findingAbout, type Tell } from './finding.ts'
import type { QueueType } from './options.ts'
import type { InForce } from './policies.ts'
import { deliveryLimit, type QueueArguments, roomAboveTurns } from './queue-arguments.ts'

/** What is known about the broker around the queue. */
export interface Surroundings {
  readonly queueType: QueueType
  readonly version: string
  readonly graveExists: boolean
  /** The dead-letter exchange, where it is not the default one. */
  readonly exchange: DeadLetterExchange | undefined
  /** Absent where nobody asked the management API. */
  readonly policies?: (InForce & { readonly overrides: readonly string[] }) | undefined
}

/** Everything in which an existing queue is not what this consumer needs. Pure. */
export function compareQueue(wanted: WantedChannel, found: QueueArguments, around: Surroundings): readonly Finding[] {
  const tell = findingAbout(wanted.address)
  return [
    ...permanence(tell, wanted.address.name, found),
    ...type(tell, wanted, found, around),
    ...deadLetters(tell, wanted, found, around),
    ...expiry(tell, wanted, found),
    ...limits(tell, wanted, found, around),
    ...order(tell, wanted),
    ...policy(tell, found, around),
  ]
}

function* permanence(tell: Tell, name: string, found: QueueArguments): Generator<Finding> {
  if (found['durable'] !== true)
    yield tell('fatal', 'not-durable', 'is not durable: a restart of the broker loses it. Create it anew.')
  if (found['exclusive'] === true || found['auto_delete'] === true)
    yield tell('fatal', 'auto-delete', 'vanishes with its last consumer, and its messages with it. Create it anew.')
  if (found['x-expires'] !== undefined)
    yield tell('warning', 'queue-expires', `vanishes when nobody has used it for ${found['x-expires']} ms.`)
  if (name.startsWith('amq.gen-')) yield tell('warning', 'auto-named', 'was named by the broker: nobody finds it again.')
}

/** Where deliveries are counted by the rules of another type, a message that kills its consumers is never found out. */
function* type(tell: Tell, { role }: WantedChannel, found: QueueArguments, { queueType }: Surroundings): Generator<Finding> {
  const is = found['x-queue-type'] ?? 'classic'
  if (is === queueType) return
  if (role === 'work')
    yield tell('fatal', 'queue-type-differs', `is a ${is} queue: set queueType to that, or attempts are counted wrongly.`)
  else yield tell('warning', 'queue-type-differs', `is a ${is} queue, and queueType is ${queueType}.`)
}

function* deadLetters(tell: Tell, wanted: WantedChannel, found: QueueArguments, around: Surroundings): Generator<Finding> {
  const grave = wanted.deadLetterTo?.name
  if (grave === undefined) return
  const exchange = found['x-dead-letter-exchange']
  if (exchange === undefined) {
    const hint = 'If a policy sets one, give the management API, which sees it.'
    yield tell('fatal', 'dead-letter-missing', `has no dead-letter exchange: what is rejected or expires is lost. ${hint}`)
    return
  }
  if (exchange === '' && found['x-dead-letter-routing-key'] !== grave)
    yield tell('fatal', 'dead-letter-differs', `does not dead-letter to ${grave}: create it anew.`)
  if (around.exchange) {
    const key = found['x-dead-letter-routing-key']
    const route = { queue: wanted.address.name, grave, routingKey: key === undefined ? undefined : String(key) }
    yield* compareExchange(tell, { ...around.exchange, name: String(exchange) }, route)
  }
  if (!around.graveExists)
    yield tell('fatal', 'dead-letter-channel-missing', `dead-letters to ${grave}, which does not exist: messages would be lost.`)
  if (found['x-dead-letter-strategy'] !== 'at-least-once')
    yield tell('warning', 'dead-letter-at-most-once', 'may lose what it dead-letters by itself when the broker crashes.')
}

function* expiry(tell: Tell, { ttl }: WantedChannel, found: QueueArguments): Generator<Finding> {
  const is = found['x-message-ttl']
  if (is !== (ttl === undefined ? undefined : Math.ceil(ttl)))
    yield tell('warning', 'ttl-differs', is === undefined ? 'lets nothing expire.' : `lets messages expire after ${is} ms.`)
  if (is !== undefined && found['x-dead-letter-exchange'] === undefined)
    yield tell('fatal', 'expiry-loses', 'lets messages expire and has no dead-letter exchange: they are lost.')
  const bounded = found['x-max-length'] ?? found['x-max-length-bytes']
  const refuses = String(found['x-overflow']).startsWith('reject-publish')
  if (bounded !== undefined && !refuses && found['x-dead-letter-exchange'] === undefined)
    yield tell('fatal', 'overflow-loses', 'drops its oldest messages when it is full. Set x-overflow to reject-publish.')
}

function* limits(tell: Tell, wanted: WantedChannel, found: QueueArguments, { version }: Surroundings): Generator<Finding> {
  const limit = deliveryLimit(found, version)
  if (limit === Number.POSITIVE_INFINITY) return
  if (found['x-dead-letter-exchange'] === undefined)
    yield tell('fatal', 'delivery-limit-loses', `drops a message after ${limit} deliveries: it has no dead-letter exchange.`)
  const needed = (wanted.maxTurns ?? 0) + roomAboveTurns
  if (limit < needed) {
    const why = 'Releases count there too, so a message could be dead-lettered before its last turn.'
    yield tell('warning', 'delivery-limit-low', `has a delivery limit of ${limit}; it should be at least ${needed}. ${why}`)
  }
}

function* order(tell: Tell, { lanes }: WantedChannel): Generator<Finding> {
  if (lanes) yield tell('warning', 'lanes-unsupported', 'does not keep messages of one key in order: RabbitMQ has no lanes.')
}

/** What follows from it for messages is told by the findings above; this one tells where it comes from. */
function* policy(tell: Tell, found: QueueArguments, { policies }: Surroundings): Generator<Finding> {
  if (!policies) return
  if (policies.overrides.length > 0) {
    const values = policies.overrides.map((key) => `${key} to ${found[`x-${key}`]}`).join(', ')
    yield tell('warning', 'policy-overrides', `is under the policy ${policies.by}, which sets ${values}, whatever was declared.`)
  }
  for (const name of policies.unreadable)
    yield tell(
      'unknown',
      'policy-unreadable',
      `may be under the policy ${name}: its pattern is one that only the broker can read.`,
    )
}
