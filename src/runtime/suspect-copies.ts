import { countHeader, header, withHeaders } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Message } from '../core/message.ts'
import type { Capabilities } from '../transports/capabilities.ts'
import type { Delivery } from '../transports/seam.ts'

/**
 * Where nobody counts but the header on a copy (`counts: 'copies'`), a broker only says "redelivered", and a message that kills its
 * consumer would be delivered for ever. So a suspect is not run as it came. A copy of it with a mark is sent, confirmed, and the
 * suspect is completed; the copy runs alone. What a delivery says then:
 *
 *   redelivered, no mark   It was in the hands of somebody who died, perhaps of a neighbour: copied with a mark, blamed for nothing.
 *   mark, first delivery   It is to run alone.
 *   redelivered, mark      It was begun alone and nobody recorded what became of it: copied with a mark and one turn more.
 *
 * The mark ends with the turn: neither a retry nor a letter bears it.
 */
const mark: Message['headers'] = [[redriveHeaders.suspect, '1']]

/** Whether it must run alone: it came back, or it is the copy of one that did. */
export function mustRunAlone({ suspect, message }: Delivery): boolean {
  return suspect || isMarked(message)
}

/** Whether its turn has to be recorded on a copy before anybody may run it. */
export function needsCopy({ suspect }: Delivery, { counts }: Capabilities): boolean {
  return suspect && counts === 'copies'
}

/** Whether giving it back would look as if it had killed us: then a fresh copy goes back instead. */
export function looksBegunWhenReleased({ suspect, message }: Delivery, { counts }: Capabilities): boolean {
  return counts === 'copies' && !suspect && isMarked(message)
}

/** It tells where its original stood, so that letters of both are one. */
export function suspectCopy({ message, position, address }: Delivery): Message {
  const before = countHeader(message.headers, redriveHeaders.attempts) ?? 0
  const attempts: Message['headers'] = isMarked(message) ? [[redriveHeaders.attempts, String(before + 1)]] : []
  const isFirst = position !== undefined && header(message.headers, redriveHeaders.originPosition) === undefined
  const origin: Message['headers'] = isFirst
    ? [
        [redriveHeaders.originChannel, address.name],
        [redriveHeaders.originPosition, position],
      ]
    : []
  return { ...message, headers: withHeaders(message.headers, [...attempts, ...origin, ...mark]) }
}

function isMarked({ headers }: Message): boolean {
  return headers.length > 0 && header(headers, redriveHeaders.suspect) !== undefined
}
