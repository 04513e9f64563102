import type { Message as WireMessage } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/definition_pb.js'
import type { ReceiveMessageRequest, ReceiveMessageResponse } from 'rocketmq-client-nodejs/proto/apache/rocketmq/v2/service_pb.js'
import { hasCode } from '../../core/errors.ts'
import type { Address, ReceiveOptions } from '../seam.ts'
import type { Holdings } from '../visibility/holdings.ts'
import type { OwnPast } from '../visibility/own-past.ts'
import { createPollPace } from '../visibility/poll-pace.ts'
import { createReceiver, type PollingReceiver } from '../visibility/receiver.ts'
import { lostError, proxyError } from './answers.ts'
import { longestHold } from './capabilities.ts'
import { type Held, openParcel, type Parcel, parcelOf } from './delivery.ts'
import type { Gateway } from './gateway.ts'
import { type Channel, placeOf } from './names.ts'
import type { Settings } from './options.ts'
import type { Subscription } from './session.ts'

export interface Receiving {
  readonly gateway: Gateway
  readonly settings: Settings
  readonly holdings: Holdings<Subscription>
  readonly past: OwnPast
  readonly subscription: Subscription
  readonly address: Address
  readonly options: ReceiveOptions
  release(held: Held): Promise<void>
  /** Adds to messages of the broker's own what the proxy does not tell about them. */
  tellOrigins(messages: readonly WireMessage[]): Promise<void>
  /** It was completed here before, and is given to nobody. */
  isDone(held: Held): boolean
  onClose(receiver: PollingReceiver<Subscription>): void
}

/** One request brings no more; of a queue in order fewer, since what was given out together comes again together. */
const mostInOne = { normal: 32, fifo: 8, delay: 32 } as const
/** Of a FIFO topic they would wait for each other. */
const mostRequests = { normal: 4, fifo: 1, delay: 4 } as const
/** The proxy waits at least so long unless it was told otherwise, whatever it is asked for. */
const leastPoll = 5_000
const [ok, nothingFound, tooManyPolls] = [20_000, 40_401, 42_900]

export function receiveFrom(receiving: Receiving): PollingReceiver<Subscription> {
  const { settings, holdings, options, release, onClose } = receiving
  const { clock, pollFor, topics } = settings
  return createReceiver({
    ...{ clock, holdings, options, release, onClose },
    pace: createPollPace(pollFor),
    limits: {
      mostInOne: mostInOne[topics],
      mostRequests: mostRequests[topics],
      waitFor: (left) => Math.max(0, Math.min(left, pollFor)),
    },
    ask: (max, wait) => ask(receiving, max, wait),
    open: (parcel) => openParcel(parcel, clock),
  })
}

/** Ours from before it was asked for, by our clock: the broker's began later. So that as long as was asked for is left. */
async function ask(receiving: Receiving, max: number, wait: number): Promise<readonly Parcel[]> {
  const { settings, gateway, subscription, address, options, past } = receiving
  const { clock, topics } = settings
  const { session } = subscription
  await session.ready()
  const since = clock.monotonic()
  const hold = Math.min(options.hold + wait, longestHold)
  const request = questionFor(gateway, subscription, max, hold, wait)
  const messages = await collect(gateway, session.client, request, wait).catch((error) => {
    // A proxy that was restarted does not know us any more, and its answers need not say so.
    if (!hasCode(error, 'unknown-channel')) session.forgotten()
    if (hasCode(error, 'unsure')) past.missed(placeOf(subscription), hold)
    throw error
  })
  await receiving.tellOrigins(messages).catch((error) => {
    // The broker counts what it gave us, which nobody sees before its hold is over.
    if (messages.length > 0) past.missed(placeOf(subscription), hold)
    throw error
  })
  const from = {
    ...{ queue: subscription, place: placeOf(subscription), address, since, until: since + hold },
    arrivedAt: clock.monotonic(),
  }
  const ahead = topics === 'fifo' ? new Set<string>() : undefined
  const parcels: Parcel[] = []
  for (const raw of messages) {
    const parcel = parcelOf(raw, from, ahead, past)
    if (receiving.isDone(parcel.held)) continue
    parcels.push(parcel)
    if (parcel.held.lane !== undefined) ahead?.add(parcel.held.lane)
  }
  return parcels
}

function questionFor(
  gateway: Gateway,
  { topic, group }: Channel,
  max: number,
  hold: number,
  wait: number,
): ReceiveMessageRequest {
  const { definition, service } = gateway.library
  const everything = new definition.FilterExpression().setType(definition.FilterType.TAG).setExpression('*')
  return (
    new service.ReceiveMessageRequest()
      .setGroup(gateway.resource(group))
      // All queues of the topic, on a broker that the proxy chooses.
      .setMessageQueue(new definition.MessageQueue().setTopic(gateway.resource(topic)).setId(-1))
      .setFilterExpression(everything)
      .setBatchSize(max)
      .setAutoRenew(false)
      .setInvisibleDuration(gateway.duration(hold))
      .setLongPollingTimeout(gateway.duration(wait))
  )
}

/** The answer is a stream of one status and the messages. */
function collect(
  gateway: Gateway,
  client: string,
  request: ReceiveMessageRequest,
  wait: number,
): Promise<readonly WireMessage[]> {
  return new Promise((resolve, reject) => {
    const messages: WireMessage[] = []
    let code: number = ok
    const stream = gateway.receive(request, client, Math.max(wait, leastPoll))
    stream.on('data', (response: ReceiveMessageResponse) => {
      const message = response.getMessage()
      if (message) messages.push(message)
      if (response.hasStatus()) code = response.getStatus()?.getCode() ?? ok
    })
    stream.on('error', (error) => reject(lostError(error)))
    stream.on('end', () => {
      if (code === ok || code === nothingFound || code === tooManyPolls) resolve(messages)
      else reject(proxyError(code))
    })
  })
}
