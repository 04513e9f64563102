import { withoutHeaders } from '../headers.ts'
import type { DialectWriter, LetterDraft } from '../letter.ts'
import { logPlaceOf } from '../log-place.ts'
import { bytes, fact, fitHeaders, type LetterHeader, stack, text } from './header-budget.ts'
import { description, letterHeaderNames, letterHeadersOf } from './letter-headers.ts'

const prefix = 'kafka_dlt-'

/** As Spring Kafka writes a dead-letter topic: the record as it was, with headers beside its own, whose numbers are big-endian bytes. */
export const springKafka: DialectWriter = (draft, headerBudget) => {
  const own = withoutHeaders(draft.message.headers, (name) => letterHeaderNames.has(name) || name.startsWith(prefix))
  return {
    ...draft.message,
    headers: fitHeaders(own, [...letterHeadersOf(draft), ...headersOf(draft), description(draft)], headerBudget),
  }
}

function headersOf({ origin, failure, message }: LetterDraft): readonly LetterHeader[] {
  const timestamp = message.native?.properties['timestamp']
  const place = logPlaceOf(origin.firstPosition)
  return [
    fact(`${prefix}original-topic`, origin.channel),
    ...(place
      ? [bytes(`${prefix}original-partition`, int32(place.partition)), bytes(`${prefix}original-offset`, int64(place.offset))]
      : []),
    ...(typeof timestamp === 'number' ? [bytes(`${prefix}original-timestamp`, int64(BigInt(timestamp)))] : []),
    ...(typeof timestamp === 'number' ? [fact(`${prefix}original-timestamp-type`, 'CreateTime')] : []),
    ...(origin.group === undefined ? [] : [fact(`${prefix}original-consumer-group`, origin.group)]),
    fact(`${prefix}exception-fqcn`, failure.errorType),
    text(`${prefix}exception-message`, failure.description),
    ...(failure.stack === undefined ? [] : [stack(`${prefix}exception-stacktrace`, failure.stack)]),
  ]
}

function int32(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4))
  view.setInt32(0, value)
  return new Uint8Array(view.buffer)
}

function int64(value: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigInt64(0, value)
  return new Uint8Array(view.buffer)
}
