import { textHeader, withoutHeaders } from '../headers.ts'
import type { DialectWriter, LetterDraft } from '../letter.ts'
import { fact, fitHeaders, type LetterHeader, text } from './header-budget.ts'
import { isoTime } from './iso-time.ts'
import { letterHeaderNames, letterHeadersOf } from './letter-headers.ts'

const bag = {
  originalTopic: 'originalTopic',
  rejectionReason: 'rejectionReason',
  rejectionTimestamp: 'rejectionTimestamp',
  originalMessageType: 'originalMessageType',
  rejectionMessage: 'rejectionMessage',
}

/** What a replay of such a letter takes off besides Redrive's own. */
export const brighterBagNames: ReadonlySet<string> = new Set(Object.values(bag))

/** Seed 004: the message as it was, with the rejection described in its header bag. */
export const brighter: DialectWriter = (draft, headerBudget) => {
  const own = withoutHeaders(draft.message.headers, (name) => letterHeaderNames.has(name) || brighterBagNames.has(name))
  return { ...draft.message, headers: fitHeaders(own, [...letterHeadersOf(draft), ...bagOf(draft)], headerBudget) }
}

function bagOf({ failure, origin, message }: LetterDraft): readonly LetterHeader[] {
  return [
    fact(bag.originalTopic, origin.channel),
    fact(bag.rejectionReason, failure.reason === 'Unacceptable' ? 'Unacceptable' : 'DeliveryError'),
    fact(bag.rejectionTimestamp, isoTime(failure.at)),
    fact(bag.originalMessageType, textHeader(message.headers, 'MessageType') ?? message.type ?? noMessageType),
    ...(failure.description === '' ? [] : [text(bag.rejectionMessage, failure.description)]),
  ]
}

/** What Brighter itself calls the type of a message that has none. */
const noMessageType = 'MT_NONE'
