import { hasCode } from '../../core/errors.ts'
import type { Address, ReceiveOptions } from '../seam.ts'
import type { Holdings } from '../visibility/holdings.ts'
import type { OwnPast } from '../visibility/own-past.ts'
import { createPollPace, type PollPace } from '../visibility/poll-pace.ts'
import { createReceiver, type PollingReceiver } from '../visibility/receiver.ts'
import type { Api } from './api.ts'
import { type Held, openParcel, type Parcel, type Provenance, parcelOf } from './delivery.ts'
import type { Settings } from './options.ts'
import type { Queue, Queues } from './queues.ts'

export interface Receiving {
  readonly api: Api
  readonly queues: Queues
  readonly settings: Settings
  readonly holdings: Holdings<Queue>
  readonly past: OwnPast
  readonly pace?: PollPace
  readonly queue: Queue
  readonly address: Address
  readonly options: ReceiveOptions
  release(held: Held): Promise<void>
  onClose(receiver: PollingReceiver<Queue>): void
}

/** Amazon ends every hold so many seconds after the delivery. */
export const longestHold: number = 12 * 3600
/** On a FIFO queue requests would wait for each other. */
const mostRequests = { standard: 5, fifo: 1 } as const

export function receiveFrom(receiving: Receiving): PollingReceiver<Queue> {
  const { settings, holdings, options, release, onClose } = receiving
  const { clock, pollFor, queues } = settings
  return createReceiver({
    ...{ clock, holdings, options, release, onClose },
    pace: receiving.pace ?? createPollPace(pollFor),
    limits: { mostInOne: 10, mostRequests: mostRequests[queues], waitFor: (left) => waitFor(left, pollFor) },
    ask: (max, wait) => ask(receiving, max, wait),
    open: (parcel) => openParcel(parcel, clock),
  })
}

/** Ours from before it was asked for, by our clock: the server's began later. So that as long as was asked for is left. */
async function ask(receiving: Receiving, max: number, wait: number): Promise<readonly Parcel[]> {
  const { settings, queue, past, address, options } = receiving
  const { clock, queues } = settings
  const since = clock.monotonic()
  const waitSeconds = wait / 1000
  const seconds = Math.min(Math.ceil(options.hold / 1000) + waitSeconds, longestHold)
  const { Messages = [] } = await receiving.api
    .ask(
      (sqs, asking) =>
        sqs.receiveMessage(
          {
            QueueUrl: queue.url,
            MaxNumberOfMessages: max,
            WaitTimeSeconds: waitSeconds,
            VisibilityTimeout: seconds,
            MessageSystemAttributeNames: ['All'],
            MessageAttributeNames: ['All'],
          },
          asking,
        ),
      wait,
    )
    .catch((error) => {
      if (hasCode(error, 'unknown-channel')) receiving.queues.forget(queue)
      if (hasCode(error, 'unsure')) past.missed(queue.url, seconds * 1000)
      throw error
    })
  const from: Provenance = {
    ...{ queue, place: queue.url, address, since, until: since + seconds * 1000 },
    arrivedAt: clock.monotonic(),
  }
  const ahead = queues === 'fifo' ? new Set<string>() : undefined
  return Messages.map((raw) => {
    const parcel = parcelOf(raw, from, ahead, past)
    if (parcel.held.lane !== undefined) ahead?.add(parcel.held.lane)
    return parcel
  })
}

/** Whole seconds for the server to wait, and no longer than somebody waits here; below one second it is one, and what comes late is kept. */
function waitFor(left: number, pollFor: number): number {
  if (left <= 0) return 0
  return Math.max(1, Math.floor(Math.min(left, pollFor) / 1000)) * 1000
}
