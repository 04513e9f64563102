import { hasCode, type RedriveError } from '../../core/errors.ts'
import { batched } from '../../platform/batched.ts'
import type { Api } from './api.ts'
import type { Outgoing } from './message.ts'
import type { Settings } from './options.ts'
import type { Queue, Queues } from './queues.ts'
import { type EntryFailure, entryError } from './sqs-errors.ts'

/** What is sent to one queue. */
export interface Sending extends Outgoing {
  readonly seconds: number
  readonly group: string | undefined
  readonly dedupId: string | undefined
}

/** What changes a queue; calls that are made close together share a request, and each has an outcome of its own. */
export interface Writes {
  /** Gives the id of the message. */
  send(queue: Queue, sending: Sending): Promise<string>
  remove(queue: Queue, receipt: string): Promise<void>
  /** Hides a delivery for so long from now; 0 gives it back. */
  hide(queue: Queue, receipt: string, seconds: number): Promise<void>
  /** Resolves when everything that was asked for has an outcome. */
  idle(): Promise<void>
}

type Batch<Item, Answer> = ReturnType<typeof batched<Item, Answer>>

interface OfQueue {
  readonly sends: Batch<Sending, string>
  readonly removals: Batch<string, undefined>
  readonly hidings: Batch<{ readonly receipt: string; readonly seconds: number }, undefined>
}

/** Ten entries, and of messages as many bytes as older queues take for the largest one. */
const most = { items: 10, bytes: 256 * 1024 }
/** Requests are answered one by one, and each takes a moment. */
const requestsAtOnce = 8

/** What an entry of an answer has, in all batches. */
interface Entry {
  readonly Id?: string | undefined
}
type Failed = Entry & EntryFailure
interface Answered<Done extends Entry> {
  readonly Successful?: readonly Done[] | undefined
  readonly Failed?: readonly Failed[] | undefined
}

export function createWrites(api: Api, queues: Queues, settings: Settings): Writes {
  const { clock } = settings
  const byUrl = new Map<string, OfQueue>()

  function of(queue: Queue): OfQueue {
    const known = byUrl.get(queue.url) ?? create(queue)
    byUrl.set(queue.url, known)
    return known
  }

  function create(queue: Queue): OfQueue {
    const QueueUrl = queue.url
    return {
      sends: batched({
        ...{ clock, most },
        weigh: ({ weight }) => weight,
        // One after the other: who sends without waiting for each answer still means an order.
        atOnce: settings.queues === 'fifo' ? 1 : requestsAtOnce,
        run(sendings) {
          const Entries = sendings.map((sending, index) => ({ ...sendEntry(sending), Id: String(index) }))
          const answer = api.ask((sqs, options) => sqs.sendMessageBatch({ QueueUrl, Entries }, options))
          return outcomes(queue, Entries, answer, ({ MessageId }) => MessageId ?? '')
        },
      }),
      removals: batched({
        ...{ clock, most, atOnce: requestsAtOnce },
        run(receipts) {
          const Entries = receipts.map((ReceiptHandle, index) => ({ ReceiptHandle, Id: String(index) }))
          const answer = api.ask((sqs, options) => sqs.deleteMessageBatch({ QueueUrl, Entries }, options))
          return outcomes(queue, Entries, answer, () => undefined)
        },
      }),
      hidings: batched({
        ...{ clock, most, atOnce: requestsAtOnce },
        run(hidings) {
          const Entries = hidings.map(({ receipt, seconds }, index) => ({
            ...{ ReceiptHandle: receipt, VisibilityTimeout: seconds, Id: String(index) },
          }))
          const answer = api.ask((sqs, options) => sqs.changeMessageVisibilityBatch({ QueueUrl, Entries }, options))
          return outcomes(queue, Entries, answer, () => undefined)
        },
      }),
    }
  }

  /** What each entry came to. One of which nothing is said may have been done. */
  async function outcomes<Done extends Entry, Outcome>(
    queue: Queue,
    entries: readonly Entry[],
    answer: Promise<Answered<Done>>,
    read: (done: Done) => Outcome,
  ): Promise<(Outcome | RedriveError)[]> {
    try {
      const { Successful = [], Failed = [] } = await answer
      const done = new Map(Successful.map((one) => [one.Id, one]))
      const failed = new Map(Failed.map((one) => [one.Id, one]))
      return entries.map(({ Id }) => {
        const success = done.get(Id)
        return success ? read(success) : entryError(failed.get(Id))
      })
    } catch (error) {
      if (hasCode(error, 'unknown-channel')) queues.forget(queue)
      throw error
    }
  }

  return {
    send: (queue, sending) => of(queue).sends.call(sending),
    remove: (queue, receipt) => of(queue).removals.call(receipt),
    hide: (queue, receipt, seconds) => of(queue).hidings.call({ receipt, seconds }),
    async idle() {
      for (const { sends, removals, hidings } of byUrl.values()) for (const each of [sends, removals, hidings]) await each.idle()
    },
  }
}

function sendEntry({ MessageBody, MessageAttributes, seconds, group, dedupId }: Sending) {
  return {
    MessageBody,
    MessageAttributes,
    ...(seconds > 0 && { DelaySeconds: seconds }),
    ...(group !== undefined && { MessageGroupId: group }),
    ...(dedupId !== undefined && { MessageDeduplicationId: dedupId }),
  }
}
