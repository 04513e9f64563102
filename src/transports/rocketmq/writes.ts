import type { RedriveError } from '../../core/errors.ts'
import { batched } from '../../platform/batched.ts'
import { proxyError } from './answers.ts'
import type { Held } from './delivery.ts'
import type { Gateway } from './gateway.ts'
import type { Settings } from './options.ts'
import type { Subscription } from './session.ts'

/** What changes a delivery. */
export interface Writes {
  /** Completions that are asked for close together share a request, and each has an outcome of its own. */
  complete(held: Held): Promise<void>
  /** Hides it for so long from now; from then on the broker knows it by another handle. */
  hide(held: Held, ms: number): Promise<void>
  /** Resolves when everything that was asked for has an outcome. */
  idle(): Promise<void>
}

const most = { items: 32, bytes: Number.POSITIVE_INFINITY }
const requestsAtOnce = 8
const ok = 20_000
/** The shortest time that is one. Milliseconds. */
const shortest = 1

export function createWrites(gateway: () => Gateway, { clock }: Settings): Writes {
  const completions = new Map<string, ReturnType<typeof createCompletions>>()
  const hidings = new Set<Promise<unknown>>()

  function createCompletions({ topic, group, session }: Subscription) {
    return batched<Held, undefined>({
      ...{ clock, most, atOnce: requestsAtOnce },
      async run(items) {
        const { service } = gateway().library
        const entries = items.map(({ id, receipt }) => new service.AckMessageEntry().setMessageId(id).setReceiptHandle(receipt))
        const request = new service.AckMessageRequest()
          .setGroup(gateway().resource(group))
          .setTopic(gateway().resource(topic))
          .setEntriesList(entries)
        const results = (await gateway().ask('ackMessage', request, session.client)).getEntriesList()
        const byReceipt = new Map(results.map((result) => [result.getReceiptHandle(), result.getStatus()?.getCode() ?? ok]))
        return items.map(({ receipt }) => outcomeOf(byReceipt.get(receipt)))
      },
    })
  }

  async function hide(held: Held, ms: number): Promise<void> {
    const { service } = gateway().library
    const { queue, receipt, id } = held
    // The proxy keeps handles by whom it gave them to, and stumbles where it does not know who asks.
    await queue.session.ready()
    const request = new service.ChangeInvisibleDurationRequest()
      .setGroup(gateway().resource(queue.group))
      .setTopic(gateway().resource(queue.topic))
      .setReceiptHandle(receipt)
      .setMessageId(id)
      .setInvisibleDuration(gateway().duration(Math.max(ms, shortest)))
    held.receipt = (await gateway().ask('changeInvisibleDuration', request, queue.session.client)).getReceiptHandle() || receipt
  }

  return {
    async complete(held) {
      const known = completions.get(held.place) ?? createCompletions(held.queue)
      completions.set(held.place, known)
      await known.call(held)
    },
    hide(held, ms) {
      const hiding = hide(held, ms).finally(() => hidings.delete(hiding))
      hidings.add(hiding)
      return hiding
    },
    async idle() {
      await Promise.allSettled(hidings)
      for (const each of completions.values()) await each.idle()
    },
  }
}

/** One of which nothing is said may have been done. */
function outcomeOf(code: number | undefined): undefined | RedriveError {
  return code === ok ? undefined : proxyError(code ?? 50_000)
}
