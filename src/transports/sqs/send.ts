import { RedriveError } from '../../core/errors.ts'
import type { Message } from '../../core/message.ts'
import type { Capabilities } from '../capabilities.ts'
import type { Address, Receipt, SendOptions } from '../seam.ts'
import { toOutgoing, transportName } from './message.ts'
import { tokenOf } from './names.ts'
import type { Settings } from './options.ts'
import type { Queue, Queues } from './queues.ts'
import { createRecentSends } from './recent-sends.ts'
import type { Writes } from './writes.ts'

export type Send = (address: Address, message: Message, options?: SendOptions) => Promise<Receipt>

export function createSend(queues: Queues, writes: Writes, settings: Settings, capabilities: Capabilities): Send {
  const isFifo = settings.queues === 'fifo'
  const recent = createRecentSends(settings.clock, capabilities.deduplication)

  return async function send(address, message, { dedupId, delay = 0 } = {}) {
    if (delay > capabilities.delayedSend) throw cannotWait(delay, capabilities.delayedSend)
    const outgoing = toOutgoing(message, capabilities.messages, isFifo)
    const queue = await queues.find(address)
    checkWeight(outgoing.weight, queue)
    const name = isFifo ? tokenOf(dedupId ?? settings.newId()) : undefined
    const position = await writes.send(queue, {
      ...outgoing,
      seconds: Math.ceil(delay / 1000),
      group: isFifo ? tokenOf(message.key ?? settings.newId()) : groupOf(message),
      dedupId: name,
    })
    const isRepeated = dedupId !== undefined && name !== undefined && recent.isKnown(`${name} ${queue.url}`, position)
    return { position, duplicate: isRepeated }
  }
}

/** A standard queue gives every group its fair share, where one was given. */
function groupOf({ native }: Message): string | undefined {
  const group = native?.transport === transportName ? native.properties['MessageGroupId'] : undefined
  return typeof group === 'string' ? group : undefined
}

function cannotWait(delay: number, most: number): RedriveError {
  const what = most === 0 ? 'A FIFO queue delays no single message' : `SQS delays a message for at most ${most} ms`
  return new RedriveError('unsupported', `${what}; ${delay} ms were asked for.`)
}

function checkWeight(weight: number, { name, maxMessage }: Queue): void {
  if (weight <= maxMessage) return
  throw new RedriveError('too-large', `The message has ${weight} bytes with its attributes; ${name} takes ${maxMessage}.`)
}
